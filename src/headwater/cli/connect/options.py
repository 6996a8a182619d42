"""What the commands about connectors have in common: which cluster is meant, and which of its connectors."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.errors import HeadwaterError, SettingError
from headwater.settings import Settings, load_settings

if TYPE_CHECKING:
    from headwater.capture.connect.worker import Worker

DEFAULT_URL = "http://localhost:8083"
# A rebalance after a change takes seconds; a worker that is not there should be told at once.
PATIENCE_FOR_CHANGES = 30.0

Connect = Annotated[
    list[str] | None,
    typer.Option(
        "--connect",
        help="Address of a Connect cluster, as URL or NAME=URL; may be given several times. Also HEADWATER_CONNECT.",
        show_default=DEFAULT_URL,
    ),
]
Names = Annotated[list[str], typer.Argument(help="Connectors; CLUSTER/NAME where several clusters have it.")]
Files = Annotated[list[Path], typer.Argument(help="JSON files; comments and ${NAME} of the environment are allowed.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def settings_with(connect: list[str] | None, **overrides: str | None) -> Settings:
    """The settings, with what was given on the command line."""
    given = {"connect": ",".join(connect) if connect else None, **overrides}
    return load_settings(given, os.environ, Path.cwd())


@contextmanager
def open_workers(connect: list[str] | None, patience: float = 0.0) -> Iterator[dict[str, Worker]]:
    """A worker of each cluster that is meant, by the cluster's name."""
    from headwater.capture.connect.cluster import parse_clusters
    from headwater.capture.connect.worker import Worker

    clusters = parse_clusters((settings_with(connect).connect or DEFAULT_URL).split(","))
    with ExitStack() as stack:
        yield {each.name: stack.enter_context(Worker(each.url, patience=patience)) for each in clusters}


@contextmanager
def open_worker(connect: list[str] | None, patience: float = PATIENCE_FOR_CHANGES) -> Iterator[Worker]:
    """A worker of the one cluster that is meant; SettingError if several are."""
    with open_workers(connect, patience) as workers:
        if len(workers) > 1:
            raise SettingError(f"which cluster is meant? there are {', '.join(workers)}; name one with --connect")
        yield next(iter(workers.values()))


def find_connectors(workers: dict[str, Worker], names: Sequence[str]) -> list[tuple[str, Worker, str]]:
    """Each connector's cluster, worker and name; HeadwaterError if one is nowhere or in several clusters."""
    there = {cluster: set(worker.names()) for cluster, worker in workers.items()}
    return [_find(there, workers, name) for name in names]


def _find(there: dict[str, set[str]], workers: dict[str, Worker], name: str) -> tuple[str, Worker, str]:
    found = [(cluster, name) for cluster, names in there.items() if name in names]
    cluster, _, rest = name.partition("/")
    if not found and rest in there.get(cluster, ()):
        found = [(cluster, rest)]
    if not found:
        raise HeadwaterError(f"no connector {name!r} at {', '.join(workers)}; list them with: headwater connect list")
    if len(found) > 1:
        ways = " or ".join(f"{cluster}/{name}" for cluster, _ in found)
        raise HeadwaterError(f"connector {name!r} is in several clusters; say {ways}")
    return found[0][0], workers[found[0][0]], found[0][1]
