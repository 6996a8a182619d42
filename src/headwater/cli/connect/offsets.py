"""`headwater connect offsets`: how far a connector has come."""

from typing import Annotated

import msgspec
import typer
from rich.text import Text

from headwater.cli.connect.options import Connect, Json, find_connectors, open_workers
from headwater.cli.output import print_json, safe, stdout, table


def offsets(
    name: Annotated[str, typer.Argument(help="The connector.")], connect: Connect = None, as_json: Json = False
) -> None:
    """Show how far a connector has come, by partition of what it reads."""
    with open_workers(connect) as workers:
        [(_, worker, found)] = find_connectors(workers, [name])
        reached = worker.offsets(found)
    if as_json:
        print_json(msgspec.json.encode(reached))
        return
    rows = table("partition", "offset")
    for each in reached:
        rows.add_row(*(safe(_words(each.get(part))) for part in ("partition", "offset")))
    stdout().print(rows if reached else Text("no offsets yet", "dim"))


def _words(part: object) -> str:
    return ", ".join(f"{key} {value}" for key, value in part.items()) if isinstance(part, dict) else str(part)
