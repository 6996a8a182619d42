"""`headwater connect`: Kafka Connect clusters, watched for lineage and run by hand. One file per command."""

from collections.abc import Callable

import typer

from headwater.cli.connect.apply import apply
from headwater.cli.connect.delete import delete
from headwater.cli.connect.diff import diff
from headwater.cli.connect.listing import list_connectors
from headwater.cli.connect.offsets import offsets
from headwater.cli.connect.pause import pause
from headwater.cli.connect.restart import restart
from headwater.cli.connect.resume import resume
from headwater.cli.connect.status import status
from headwater.cli.connect.stop import stop
from headwater.cli.connect.watch import watch

app = typer.Typer(
    name="connect",
    no_args_is_help=True,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def connect() -> None:
    """Kafka Connect: lineage of connectors nobody modified, and connectors from files.

    The cluster is [bold]--connect[/bold] or HEADWATER_CONNECT, else http://localhost:8083.
    """


def add(name: str, command: Callable[..., None], example: str) -> None:
    """List a command, with an example at the foot of its --help."""
    app.command(name, epilog=f"Example: [cyan]{example}[/cyan]")(command)


add("watch", watch, "headwater connect watch --connect http://localhost:8083 --bootstrap localhost:9092")
add("apply", apply, "headwater connect apply orders-source.json orders-sink.json")
add("diff", diff, "headwater connect diff orders-source.json")
add("list", list_connectors, "headwater connect list --json")
add("status", status, "headwater connect status orders-source")
add("pause", pause, "headwater connect pause orders-source")
add("resume", resume, "headwater connect resume orders-source")
add("stop", stop, "headwater connect stop orders-source")
add("restart", restart, "headwater connect restart orders-source --failed")
add("delete", delete, "headwater connect delete orders-source --yes")
add("offsets", offsets, "headwater connect offsets orders-source")
