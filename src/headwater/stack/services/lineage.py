"""The lineage server: `headwater serve` with its data in a SQLite file, which also watches the lab's connectors."""

import sys
from collections.abc import Mapping
from urllib.parse import quote, urlsplit

from headwater.stack.lab import Lab
from headwater.stack.service import Command, Service
from headwater.stack.services.probes import http_problem

NAMESPACE = "fh-local"


def command(lab: Lab) -> Command:
    """The server. Every setting is given, so that a headwater.toml of the person's own does not speak for the lab."""
    flags = ("--host", lab.host, "--port", str(lab.ports["lineage"]), "--connect", lab.address("connect"))
    database = ("--database", f"sqlite:///{lab.data('lineage') / 'headwater.db'}")
    main = "from headwater.cli.main import main; main()"
    return Command(
        argv=(sys.executable, "-c", main, "serve", *flags, *database), env=watching(lab), cwd=lab.data("lineage")
    )


def watching(lab: Lab) -> Mapping[str, str]:
    """What the server needs to watch the connectors, whose own passwords only their worker knows."""
    return {
        "HEADWATER_REGISTRY": registry_url(lab),
        "HEADWATER_BOOTSTRAP": lab.address("kafka"),
        "HEADWATER_OUTBOX": str(lab.data("lineage") / "outbox"),
        "OPENLINEAGE_NAMESPACE": NAMESPACE,
    }


def registry_url(lab: Lab) -> str:
    """The registry's address with user and password."""
    parts = urlsplit(lab.address("registry"))
    user, password = (
        quote(text, safe="") for text in (lab.credentials.registry_user, lab.credentials.registry_password)
    )
    return parts._replace(netloc=f"{user}:{password}@{parts.netloc}").geturl() if user else parts.geturl()


def problem(lab: Lab) -> str | None:
    """None when the server can do its work."""
    return http_problem(f"{lab.address('lineage')}/ready")


LINEAGE = Service(
    name="lineage",
    title="Headwater",
    command=command,
    problem=problem,
    deadline=60.0,
    address=lambda lab: lab.address("lineage"),
)
