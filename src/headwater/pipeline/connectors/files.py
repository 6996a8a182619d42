"""The pipeline's own connector files, and what their placeholders stand for."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from headwater.capture.connect.files import Connector, ConnectorFileError, read
from headwater.errors import SettingError
from headwater.pipeline.settings import PipelineSettings

FOLDER = Path(__file__).parent
CONFLUENT_PATH = "/apis/ccompat/v7"
APICURIO_PATH = "/apis/registry/v2"


def variants() -> list[str]:
    """The names of the connector files that come with the pipeline."""
    return sorted(file.stem for file in FOLDER.glob("*.json"))


def load(variant: str, values: Mapping[str, str]) -> Connector:
    """The connector of one of the pipeline's own files, with its placeholders filled."""
    if variant not in variants():
        raise ConnectorFileError(f"no connector file {variant!r}; there are: {', '.join(variants())}")
    return read(FOLDER / f"{variant}.json", values)


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
