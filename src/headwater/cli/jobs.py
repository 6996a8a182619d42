"""`headwater jobs`: the jobs of a namespace, or of all."""

from typing import Annotated

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from headwater.cli import client, output


class Name(msgspec.Struct):
    """A dataset that a job reads or writes; only their number is shown."""

    namespace: str
    name: str


class Run(msgspec.Struct, rename="camel"):
    """The latest run of a job."""

    state: str | None = None
    started_at: str | None = None
    duration_ms: int | None = None


class Job(msgspec.Struct, rename="camel"):
    """What is shown of a job."""

    namespace: str
    name: str
    type: str | None = None
    inputs: list[Name] | None = None
    outputs: list[Name] | None = None
    latest_run: Run | None = None


class Jobs(msgspec.Struct, rename="camel"):
    """A page of jobs."""

    jobs: list[Job]
    total_count: int


def jobs(
    namespace: Annotated[
        str | None, typer.Argument(metavar="NAMESPACE", help="Only the jobs of this namespace.")
    ] = None,
    limit: client.Limit = 100,
    offset: client.Offset = 0,
    json: client.Json = False,
    url: client.Url = None,
) -> None:
    """List jobs with the state of their latest run."""
    where = client.path("api", "v1", *(["namespaces", namespace] if namespace is not None else []), "jobs")
    answer = client.get(url, where, {"limit": limit, "offset": offset})
    if json:
        output.print_json(answer)
        return
    page = client.decode(answer, Jobs)
    console = output.stdout()
    if page.jobs:
        console.print(draw(page.jobs))
    console.print(output.page_note(len(page.jobs), offset, page.total_count, "jobs"))


def draw(found: list[Job]) -> Table:
    """The jobs as a table."""
    table = output.table(
        "",
        "NAMESPACE",
        "JOB",
        "TYPE",
        "STARTED (UTC)",
        "TOOK",
        "READS",
        "WRITES",
        numbers=("TOOK", "READS", "WRITES"),
    )
    for job in found:
        run = job.latest_run or Run()
        table.add_row(
            output.mark(run.state),
            Text(output.safe(job.namespace), "dim"),
            Text(output.safe(job.name), "bold"),
            Text(output.safe(job.type or "")),
            Text(output.when(run.started_at)),
            Text(output.lasting(run.duration_ms)),
            Text(str(len(job.inputs or []))),
            Text(str(len(job.outputs or []))),
        )
    return table
