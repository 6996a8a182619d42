"""`headwater runs`: the runs of a job, the latest first."""

from typing import Annotated

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from headwater.cli import client, output


class Run(msgspec.Struct, rename="camel"):
    """What is shown of a run."""

    id: str
    state: str | None = None
    started_at: str | None = None
    ended_at: str | None = None
    duration_ms: int | None = None
    nominal_start_time: str | None = None


class Runs(msgspec.Struct, rename="camel"):
    """A page of runs; not every server of this API counts them."""

    runs: list[Run]
    total_count: int | None = None


def runs(
    namespace: Annotated[str, typer.Argument(metavar="NAMESPACE", help="The namespace of the job.")],
    job: Annotated[str, typer.Argument(metavar="JOB", help="The name of the job.")],
    limit: client.Limit = 100,
    offset: client.Offset = 0,
    json: client.Json = False,
    url: client.Url = None,
) -> None:
    """List the runs of a job, the latest first."""
    where = client.path("api", "v1", "namespaces", namespace, "jobs", job, "runs")
    answer = client.get(url, where, {"limit": limit, "offset": offset})
    if json:
        output.print_json(answer)
        return
    page = client.decode(answer, Runs)
    console = output.stdout()
    if page.runs:
        console.print(draw(page.runs))
    total = page.total_count if page.total_count is not None else offset + len(page.runs)
    console.print(output.page_note(len(page.runs), offset, total, "runs"))


def draw(found: list[Run]) -> Table:
    """The runs as a table."""
    table = output.table("", "RUN", "STATE", "STARTED (UTC)", "ENDED (UTC)", "TOOK", "NOMINAL (UTC)", numbers=("TOOK",))
    for run in found:
        table.add_row(
            output.mark(run.state),
            Text(output.safe(run.id), "bold"),
            Text(output.safe(output.state_name(run.state).lower())),
            Text(output.when(run.started_at)),
            Text(output.when(run.ended_at)),
            Text(output.lasting(run.duration_ms)),
            Text(output.when(run.nominal_start_time)),
        )
    return table
