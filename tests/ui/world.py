"""What the server under the web app knows: the lab's recorded events, and a few made for what they lack."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import headwater
from tests.server.making import dataset, facet, run
from tests.server.serving import Running

BUILT = Path(headwater.__file__).parent / "web" / "index.html"
EVENTS = Path(__file__).parents[1] / "fixtures" / "events"
RECORDED = ("lab-orders-stream.jsonl", "lab-supplier-stats-batch-s3.jsonl", "openlineage-compatibility-tests.jsonl")
STREAM = {"jobType": facet(processingType="STREAMING", integration="SPARK", jobType="QUERY")}


def fill(server: Running) -> None:
    """Send the recorded events, a live stream, a failure, and some that are odd."""
    for name in RECORDED:
        lines = (EVENTS / name).read_text("utf-8").splitlines()
        body = "[" + ",".join(line for line in lines if line.strip()) + "]"
        answer = server.http.post("/api/v1/lineage/batch", content=body, headers={"content-type": "application/json"})
        assert answer.status_code == 200, answer.text
    server.post(*pipeline(), *stream("supplier-stats-live"), *failure("nightly-report"))
    server.post(run("copy", [dataset("s3a://lake|raw", "id")], [dataset("s3://lake|raw", "id")], at=ago(minutes=1)))
    refused = server.http.post("/api/v1/lineage", json={"eventType": "START"})
    assert refused.status_code == 422 or refused.status_code == 400


def ago(**time: float) -> str:
    """A time before now, as an event has it."""
    return (datetime.now(UTC) - timedelta(**time)).isoformat()


BEGUN, GROWN = "2026-01-10T00:00:00Z", "2026-02-10T00:00:00Z"


def pipeline() -> list[dict[str, Any]]:
    """Orders from a shop to totals by supplier, over three hops; the last hop came a month after the others."""
    shop = dataset("shop.orders", "id price:decimal(10,2) supplier")
    topic = dataset("orders-topic", "id price supplier", _same("shop.orders", "id price supplier"))
    table = dataset("orders-table", "id price:decimal(10,2) supplier", _same("orders-topic", "id price supplier"))
    made_of = {"supplier": ["orders-table.supplier"], "total_price": ["orders-table.price"]}
    totals = dataset("supplier-totals", "supplier total_price:decimal(20,2)", made_of)
    return [
        run("orders-source", [shop], [topic], BEGUN),
        run("orders-ingestion", [topic], [table], BEGUN),
        run("orders-ingestion", [topic], [table], GROWN, "START"),
        run("supplier-totals", [table], [totals], GROWN),
    ]


def _same(source: str, columns: str) -> dict[str, list[str]]:
    return {column: [f"{source}.{column}"] for column in columns.split()}


def stream(job: str, reports: int = 20) -> list[dict[str, Any]]:
    """A streaming query that has run for a while and told every minute how it goes."""
    source = dataset("kafka://127.0.0.1:19092|orders", "order_id price supplier")
    sink = dataset("kafka://127.0.0.1:19092|supplier-stats", "supplier total_price", {})
    started = run(job, [source], [sink], ago(minutes=reports + 1), "START", run=job, job_facets=STREAM)
    told = [
        run(job, at=ago(minutes=reports - number), state="RUNNING", run=job, run_facets=_progress(number))
        for number in range(reports)
    ]
    return [started, *told]


def _progress(number: int) -> dict[str, Any]:
    said = facet(
        batchId=number,
        inputRowsPerSecond=9_000 + 137 * (number % 7),
        processedRowsPerSecond=21_000 - 311 * (number % 5),
        batchMillis=420 + 25 * (number % 4),
        watermarkDelayMillis=5_000 + 100 * number,
        stateRows=40 + number,
        stateBytes=65_536 + 4_096 * number,
        sources=[{"description": "KafkaV2[Subscribe[orders]]", "lag": 300 * (number % 3)}],
    )
    return {"headwater_streamProgress": said}


def failure(job: str) -> list[dict[str, Any]]:
    """A batch job that went well six times and then failed."""
    error = facet(message="table report is locked", programmingLanguage="PYTHON", stackTrace="Traceback: …")
    events = []
    for number in range(7):
        began, ended = ago(hours=8 - number), ago(hours=8 - number, minutes=-3 - number)
        name = f"{job} {number}"
        last = number == 6
        events += [
            run(job, "raw", "report", began, "START", run=name),
            run(
                job,
                at=ended,
                state="FAIL" if last else "COMPLETE",
                run=name,
                run_facets={"errorMessage": error} if last else {},
            ),
        ]
    return events
