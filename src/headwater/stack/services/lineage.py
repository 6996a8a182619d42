"""The lineage server: `headwater serve` with its data in a SQLite file."""

import sys

from headwater.stack.lab import Lab
from headwater.stack.service import Command, Service
from headwater.stack.services.probes import http_problem


def command(lab: Lab) -> Command:
    """The server. Every setting is given, so that a headwater.toml of the person's own does not speak for the lab."""
    flags = ("--host", lab.host, "--port", str(lab.ports["lineage"]))
    database = ("--database", f"sqlite:///{lab.data('lineage') / 'headwater.db'}")
    main = "from headwater.cli.main import main; main()"
    return Command(argv=(sys.executable, "-c", main, "serve", *flags, *database), cwd=lab.data("lineage"))


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
