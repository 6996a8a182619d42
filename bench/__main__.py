"""The command: python -m bench [ingest graph lists neighbourhood start pipeline capture connect web | all]."""

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from bench import capture, connect, graph, ingest, lists, neighbourhood, pipeline, start, web
from bench.client import BenchError
from bench.context import Context, Peer
from bench.processes import Databases, Sqlite, postgres
from bench.report import Figure, machine, markdown, print_figures, shown

MEASUREMENTS: dict[str, Callable[[Context], Iterator[Figure]]] = {
    "ingest": ingest.measure,
    "graph": graph.measure,
    "neighbourhood": neighbourhood.measure,
    "lists": lists.measure,
    "start": start.measure,
    "pipeline": pipeline.measure,
    "capture": capture.measure,
    "connect": connect.measure,
    "web": web.measure,
}


def main() -> int:
    """Measure what was asked for; 1 if something could not be measured."""
    options = parser().parse_args()
    if not Path("/proc/self/stat").exists():
        print("the benchmark reads processor time from /proc, so it needs Linux", file=sys.stderr)
        return 2
    names = [name for name in MEASUREMENTS if name in options.what or "all" in options.what]
    # A pipe or a log has no width of its own; 80 columns would fold every row.
    console = Console() if sys.stdout.isatty() else Console(width=160)
    figures: list[Figure] = []
    failed = False
    began = time.monotonic()
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="headwater-bench-", dir=options.directory)))
        directory.chmod(0o755)  # PostgreSQL may run as another user, who must be able to enter
        notes = machine(directory)
        for note in notes:
            console.print(note, highlight=False)
        context = Context(
            directory,
            _databases(options.database, directory, stack),
            console,
            options.events or (1_000 if options.quick else 10_000),
            1 if options.quick else options.rounds,
            options.quick,
            Peer(options.peer.rstrip("/"), tuple(options.peer_pid)) if options.peer else None,
            options.marquez_web,
        )
        for name in names:
            console.rule(name, align="left")
            found: list[Figure] = []
            try:
                for figure in MEASUREMENTS[name](context):
                    context.say(f"{figure.what}: {shown(figure.value, figure.unit)} {figure.verdict}")
                    found.append(figure)
            except (BenchError, OSError) as error:
                console.print(f"{name} could not be measured to its end: {error}", style="red", markup=False)
                failed = True
            print_figures(console, found, with_peer=bool(options.peer))
            figures += found
    if options.quick:
        notes.append("Quick: few events, one round; these figures only show that everything works.")
    text = markdown(figures, bool(options.peer), notes)
    console.rule("as Markdown", align="left")
    print(text)
    if options.markdown:
        options.markdown.write_text(text, "utf-8")
    if options.json:
        options.json.write_text(json.dumps([asdict(figure) for figure in figures], indent=1), "utf-8")
    missed = [figure for figure in figures if figure.met is False]
    held = sum(figure.met is not None for figure in figures)
    console.print(f"{held - len(missed)} of {held} targets met in {time.monotonic() - began:.0f} s")
    for figure in missed:
        console.print(f"{figure.group}: {figure.what}: {figure.verdict}", style="red", markup=False)
    return 1 if failed else 0


def parser() -> argparse.ArgumentParser:
    """The options."""
    made = argparse.ArgumentParser(prog="python -m bench", description="Measure Headwater beside Marquez and a limit.")
    made.add_argument("what", nargs="*", choices=[*MEASUREMENTS, "all"], default="all", help="what to measure; all")
    made.add_argument("--database", choices=["sqlite", "postgresql", "both"], default="both")
    made.add_argument("--peer", metavar="URL", help="measure this Marquez-compatible server too")
    made.add_argument(
        "--peer-pid",
        metavar="PID",
        type=int,
        action="append",
        default=[],
        help="a process of the peer, for its CPU time",
    )
    made.add_argument(
        "--marquez-web",
        metavar="DIR",
        type=Path,
        help="measure Marquez's page too: the dist folder of its web app, built",
    )
    made.add_argument("--events", metavar="N", type=int, help="small events a round; the other sets follow (10,000)")
    made.add_argument("--rounds", metavar="N", type=int, default=3, help="rounds of ingest, whose median is shown (3)")
    made.add_argument("--json", metavar="FILE", type=Path, help="write every figure here")
    made.add_argument("--markdown", metavar="FILE", type=Path, help="write the table for the README here")
    made.add_argument(
        "--directory", metavar="DIR", type=Path, help="keep databases here while measuring; choose a real disk"
    )
    made.add_argument("--quick", action="store_true", help="little of everything, to see that it works")
    return made


def _databases(asked: str, directory: Path, stack: ExitStack) -> list[Databases]:
    databases: list[Databases] = []
    if asked in ("sqlite", "both"):
        databases.append(Sqlite(directory))
    if asked in ("postgresql", "both"):
        folder = directory / "postgresql"
        folder.mkdir()
        databases.append(stack.enter_context(postgres(folder)))
    return databases


if __name__ == "__main__":
    sys.exit(main())
