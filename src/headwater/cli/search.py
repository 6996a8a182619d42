"""`headwater search`: jobs and datasets by part of their name."""

from enum import StrEnum
from typing import Annotated

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from headwater.cli import client, output


class Kind(StrEnum):
    """What to search among."""

    JOB = "job"
    DATASET = "dataset"


class Result(msgspec.Struct, rename="camel"):
    """A job or a dataset that was found."""

    type: str
    namespace: str
    name: str
    node_id: str
    updated_at: str | None = None


class Results(msgspec.Struct, rename="camel"):
    """What was found, best first."""

    results: list[Result]
    total_count: int


def search(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="Part of the name of a job or a dataset.")],
    kind: Annotated[Kind | None, typer.Option("--kind", help="Only jobs, or only datasets.")] = None,
    namespace: Annotated[str | None, typer.Option("--namespace", help="Only in this namespace.")] = None,
    limit: client.Limit = 20,
    json: client.Json = False,
    url: client.Url = None,
) -> None:
    """Find jobs and datasets; the last column is the NODE that `headwater lineage` takes."""
    params: dict[str, client.Value] = {"q": text, "limit": limit, "namespace": namespace}
    answer = client.get(url, "/api/v1/search", params | {"filter": kind.name if kind else None})
    if json:
        output.print_json(answer)
        return
    found = client.decode(answer, Results).results
    console = output.stdout()
    if found:
        console.print(draw(found))
    else:
        console.print(Text(f"nothing matches {output.safe(text)!r}", "dim"))


def draw(found: list[Result]) -> Table:
    """The results as a table."""
    table = output.table("", "NAME", "NAMESPACE", "UPDATED (UTC)", "NODE")
    for result in found:
        table.add_row(
            Text("▤", "blue") if result.type.upper() == "DATASET" else Text("⚙", "cyan"),
            Text(output.safe(result.name), "bold"),
            Text(output.safe(result.namespace), "dim"),
            Text(output.when(result.updated_at)),
            Text(output.safe(result.node_id)),
        )
    return table
