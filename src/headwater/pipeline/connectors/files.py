"""A connector's file: JSON with comments, in which ${NAME} stands for what differs from place to place."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from headwater.errors import HeadwaterError, SettingError
from headwater.pipeline.settings import PipelineSettings

FOLDER = Path(__file__).parent
# Only capitals: ${env:NAME} is for the worker, which keeps the secrets, and ${headers[…]} for Camel.
PLACEHOLDER = re.compile(r"\$\{([A-Z][A-Z0-9_]*)\}")
CONFLUENT_PATH = "/apis/ccompat/v7"
APICURIO_PATH = "/apis/registry/v2"


class ConnectorFileError(HeadwaterError):
    """A connector's file that is missing or cannot be used."""


@dataclass(frozen=True)
class Connector:
    """A connector as its file describes it."""

    name: str
    config: Mapping[str, str]


def variants() -> list[str]:
    """The names of the connector files that come with the pipeline."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


def load(variant: str, values: Mapping[str, str]) -> Connector:
    """The connector of one of the pipeline's own files, with its placeholders filled."""
    if variant not in variants():
        raise ConnectorFileError(f"no connector file {variant!r}; there are: {', '.join(variants())}")
    return read(FOLDER / f"{variant}.json", values)


def read(file: Path, values: Mapping[str, str]) -> Connector:
    """The connector that a file describes as {"name": …, "config": {…}}, with its placeholders filled."""
    try:
        described = json.loads(without_comments(file.read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise ConnectorFileError(f"cannot read a connector from {file}: {error}") from error
    match described:
        case {"name": str(name), "config": dict(config)} if all(isinstance(v, str) for v in config.values()):
            return Connector(name, {key: fill(value, values, f"{key} in {file}") for key, value in config.items()})
    raise ConnectorFileError(f'{file} is no connector; expected {{"name": "…", "config": {{"key": "text", …}}}}')


def without_comments(text: str) -> str:
    """JSON without the lines that begin with //; their places stay, so that an error names the right line."""
    return re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)


def fill(text: str, values: Mapping[str, str], origin: str) -> str:
    """Text with its placeholders filled; what the worker or Camel fills is left as it is."""

    def value(match: re.Match[str]) -> str:
        if match[1] not in values:
            known = ", ".join(sorted(values))
            raise ConnectorFileError(f"unknown placeholder {match[0]} at {origin}; known ones: {known}")
        return values[match[1]]

    return PLACEHOLDER.sub(value, text)


def placeholders(settings: PipelineSettings) -> dict[str, str]:
    """What the placeholders of a connector's file stand for; no secret is among them."""
    shop = urlsplit(settings.shop.url)
    archive = urlsplit(settings.s3.archive)
    if not (shop.hostname and shop.path.strip("/")):
        raise SettingError("setting 'shop.url' names no database; expected postgresql://user:password@host:port/name")
    return {
        "KAFKA_BOOTSTRAP": settings.kafka.bootstrap,
        "REGISTRY_API": settings.registry.url.removesuffix(CONFLUENT_PATH) + APICURIO_PATH,
        "SHOP_HOST": shop.hostname,
        "SHOP_PORT": str(shop.port or 5432),
        "SHOP_DATABASE": shop.path.strip("/"),
        "SHOP_USER": shop.username or "",
        "CATALOG": settings.catalog.name,
        "METASTORE_URI": settings.catalog.uri,
        "WAREHOUSE": settings.catalog.warehouse,
        "S3_ENDPOINT": settings.s3.endpoint,
        "S3_REGION": settings.s3.region,
        "BUCKET": archive.netloc,
    }


def secrets(settings: PipelineSettings) -> list[str]:
    """Every secret that a worker's answer could repeat, so that it can be hidden."""
    password = urlsplit(settings.shop.url).password or ""
    given = [settings.registry.password, settings.s3.access_key, settings.s3.secret_key, password]
    return [secret for secret in given if secret]
