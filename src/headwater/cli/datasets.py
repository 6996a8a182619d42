"""`headwater datasets`: the datasets of a namespace."""

from typing import Annotated

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from headwater.cli import client, output
from headwater.errors import HeadwaterError

NAMESPACES_NAMED = 10


class Field(msgspec.Struct):
    """A column; only their number is shown."""

    name: str


class Dataset(msgspec.Struct, rename="camel"):
    """What is shown of a dataset."""

    name: str
    type: str | None = None
    fields: list[Field] | None = None
    tags: list[str] | None = None
    last_modified_at: str | None = None
    last_lifecycle_state: str | None = None


class Datasets(msgspec.Struct, rename="camel"):
    """A page of datasets."""

    datasets: list[Dataset]
    total_count: int


class Namespace(msgspec.Struct):
    """A namespace, by its name."""

    name: str


class Namespaces(msgspec.Struct):
    """A page of namespaces."""

    namespaces: list[Namespace]


def datasets(
    namespace: Annotated[
        str | None, typer.Argument(metavar="NAMESPACE", help="The namespace whose datasets to list.")
    ] = None,
    limit: client.Limit = 100,
    offset: client.Offset = 0,
    json: client.Json = False,
    url: client.Url = None,
) -> None:
    """List the datasets of a namespace."""
    if namespace is None:
        raise HeadwaterError(ask_for_namespace(url))
    where = client.path("api", "v1", "namespaces", namespace, "datasets")
    answer = client.get(url, where, {"limit": limit, "offset": offset})
    if json:
        output.print_json(answer)
        return
    page = client.decode(answer, Datasets)
    console = output.stdout()
    if page.datasets:
        console.print(draw(page.datasets))
    console.print(output.page_note(len(page.datasets), offset, page.total_count, "datasets"))


def ask_for_namespace(url: str | None) -> str:
    """What to say when no namespace was given: the ones there are."""
    answer = client.get(url, client.path("api", "v1", "namespaces"), {"limit": NAMESPACES_NAMED})
    names = [namespace.name for namespace in client.decode(answer, Namespaces).namespaces]
    if not names:
        return "which namespace? this server has none yet"
    return f"which namespace? this server has: {', '.join(names)}; for example: headwater datasets '{names[0]}'"


def draw(found: list[Dataset]) -> Table:
    """The datasets as a table."""
    table = output.table("", "DATASET", "TYPE", "COLUMNS", "MODIFIED (UTC)", "LAST", "TAGS", numbers=("COLUMNS",))
    for dataset in found:
        table.add_row(
            Text("▤", "blue"),
            Text(output.safe(dataset.name), "bold"),
            Text(output.safe(dataset.type or "")),
            Text(str(len(dataset.fields or []))),
            Text(output.when(dataset.last_modified_at)),
            Text(output.safe(dataset.last_lifecycle_state or "")),
            Text(output.safe(", ".join(dataset.tags or []))),
        )
    return table
