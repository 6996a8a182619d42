"""The events that are sent: made anew for each moment `start`, the same for the same moment.

small          0.4 KB, 500 jobs, 501 datasets; two events a run (START, COMPLETE). Names repeat; there are no facets.
medium         24 KB, 200 jobs, 1,000 datasets (3 inputs and 2 outputs a job, 20 columns each); two events a run.
               A job's schemas and column lineage repeat until every 25th run changes them; run facets and
               statistics are new in each run.
compatibility  4.9 KB, the jobs and datasets of the file; each time round, its runs are new.
layered        12 KB, 1,000 jobs in 20 layers of 50, 1,000 datasets and 50 sources of 20 columns; one event a run.
bulk           0.6 KB, as many jobs as asked for, and ten times as many datasets; one event a run.
"""

import json
import random
import uuid
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

PRODUCER = "https://example.com/headwater/bench"
RUN_EVENT = "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent"
FACETS = "https://openlineage.io/spec/facets"
COMPATIBILITY = Path(__file__).parents[1] / "tests/fixtures/events/openlineage-compatibility-tests.jsonl"

SMALL_JOBS = 500
MEDIUM_JOBS = 200
COLUMNS = 20
RUNS_A_REVISION = 25

LAYERED_NAMESPACE = "layered"
LAYERS = 20
WIDTH = 50

BULK_NAMESPACE = "bulk"
BULK_BLOCK = 100  # jobs that hang together; the next block is the same again, under other names
BULK_COPIES = 900  # datasets beside each block, so that there are ten for each job

Json = dict[str, Any]


def encoded(event: Json) -> bytes:
    """An event as it is sent."""
    return json.dumps(event, separators=(",", ":")).encode()


class Runs:
    """Run ids and event times, in order: one run after another, each a little later than the one before."""

    def __init__(self, start: datetime, salt: str) -> None:
        self._random = random.Random(f"{start.timestamp()} {salt}")
        self._at = start.astimezone(UTC)

    def id(self) -> str:
        """A run id that nobody had before."""
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def time(self) -> str:
        """The next event time, a tenth of a millisecond after the last."""
        self._at += timedelta(microseconds=100)
        return self._at.isoformat(timespec="microseconds").replace("+00:00", "Z")


def run_event(kind: str, time: str, run: Json, job: Json, inputs: list[Json], outputs: list[Json]) -> Json:
    """A RunEvent."""
    return {
        "eventType": kind,
        "eventTime": time,
        "producer": PRODUCER,
        "schemaURL": RUN_EVENT,
        "run": run,
        "job": job,
        "inputs": inputs,
        "outputs": outputs,
    }


def facet(name: str, /, **content: object) -> Json:
    """A facet's object, with what the specification asks of each."""
    return {"_producer": PRODUCER, "_schemaURL": f"{FACETS}/1-0-0/{name}.json#/$defs/{name}", **content}


# -- what is ingested ------------------------------------------------------------------------------


def small(count: int, start: datetime) -> Iterator[bytes]:
    """Two events a run: names, and no facets."""
    runs = Runs(start, "small")
    for number in range((count + 1) // 2):
        job = number % SMALL_JOBS
        run = runs.id()
        for kind in ("START", "COMPLETE")[: count - 2 * number]:
            yield encoded(
                run_event(
                    kind,
                    runs.time(),
                    {"runId": run},
                    {"namespace": "bench", "name": f"small.job_{job:04}"},
                    [{"namespace": "postgres://db:5432", "name": f"shop.small_{job:04}"}],
                    [{"namespace": "postgres://db:5432", "name": f"shop.small_{job + 1:04}"}],
                )
            )


def medium(count: int, start: datetime) -> Iterator[bytes]:
    """Two events a run, each with 3 inputs, 2 outputs, 20 columns a dataset, and column lineage."""
    runs = Runs(start, "medium")
    for number in range((count + 1) // 2):
        round, job = divmod(number, MEDIUM_JOBS)
        run = {"runId": runs.id(), "facets": _run_facets(number, start)}
        # Jobs do not all change in the same round.
        revision = (round + job) // RUNS_A_REVISION
        inputs, outputs = _medium_datasets(job, revision)
        for kind in ("START", "COMPLETE")[: count - 2 * number]:
            written = outputs if kind == "START" else [_with_statistics(d, number) for d in outputs]
            name = {"namespace": "bench", "name": f"medium.job_{job:04}", "facets": _job_facets(job)}
            yield encoded(run_event(kind, runs.time(), run, name, inputs, written))


def compatibility(count: int, start: datetime) -> Iterator[bytes]:
    """The events of the OpenLineage compatibility tests, round after round, each round with runs of its own."""
    lines = COMPATIBILITY.read_text("utf-8").splitlines()
    originals = [json.loads(line) for line in lines]
    ids = sorted({event["run"]["runId"] for event in originals if "run" in event})
    runs = Runs(start, "compatibility")
    sent = 0
    while sent < count:
        fresh = {old: runs.id() for old in ids}
        for line, original in zip(lines, originals, strict=True):
            if sent == count:
                return
            text = line.replace(original["eventTime"], runs.time())
            for old, new in fresh.items():
                text = text.replace(old, new)
            yield text.encode()
            sent += 1


def mixed(count: int, start: datetime) -> Iterator[bytes]:
    """Of every ten events: seven small, two of the compatibility set, one medium."""
    sources = (
        small(count * 7 // 10, start),
        compatibility(count * 2 // 10, start),
        medium(count - count * 7 // 10 - count * 2 // 10, start),
    )
    pattern = (0, 0, 1, 0, 0, 2, 0, 0, 1, 0)
    for number in range(count):
        event = next(sources[pattern[number % 10]], None)
        if event is None:
            event = next(e for source in sources if (e := next(source, None)) is not None)
        yield event


def _run_facets(number: int, start: datetime) -> Json:
    moment = (start + timedelta(minutes=number)).isoformat()
    return {
        "nominalTime": facet("NominalTimeRunFacet", nominalStartTime=moment),
        "processing_engine": facet(
            "ProcessingEngineRunFacet", name="spark", version="3.5.7", openlineageAdapterVersion="1.53.0"
        ),
    }


def _job_facets(job: int) -> Json:
    return {
        "jobType": facet("JobTypeJobFacet", processingType="BATCH", integration="SPARK", jobType="SQL_JOB"),
        "sql": facet("SQLJobFacet", query=f"INSERT INTO mart.orders_{job:04} SELECT * FROM staging.orders_{job:04}"),
    }


@lru_cache(maxsize=2 * MEDIUM_JOBS)
def _medium_datasets(job: int, revision: int) -> tuple[list[Json], list[Json]]:
    inputs = [_dataset("s3://lake", f"staging/orders_{job:04}_{part}", revision) for part in range(3)]
    outputs = []
    for part in range(2):
        output = _dataset("s3://lake", f"mart/orders_{job:04}_{part}", revision)
        # Column by column: one input moved as it is, one more computed with.
        sources = (inputs[part], inputs[part + 1])
        output["facets"]["columnLineage"] = column_lineage(sources)
        outputs.append(output)
    return inputs, outputs


def _with_statistics(dataset: Json, number: int) -> Json:
    statistics = facet("OutputStatisticsOutputDatasetFacet", rowCount=1000 + number, size=64_000 + number)
    return {**dataset, "outputFacets": {"outputStatistics": statistics}}


_TYPES = ("bigint", "varchar", "decimal(18,2)", "timestamp", "boolean")


def _dataset(namespace: str, name: str, revision: int = 0) -> Json:
    # Datasets differ in their types, and each describes its columns in words of its own.
    turn = sum(name.encode())
    fields = [
        {
            "name": f"column_{number:02}",
            # A revision widens one column after another.
            "type": "varchar" if number < revision else _TYPES[(number + turn) % len(_TYPES)],
            "description": f"{name} {number}",
        }
        for number in range(COLUMNS)
    ]
    facets = {"schema": facet("SchemaDatasetFacet", fields=fields)}
    return {"namespace": namespace, "name": name, "facets": facets}


def column_lineage(sources: tuple[Json, Json]) -> Json:
    """Each column comes from the same column of one source, as it is, and of the other, computed with."""
    hows = (
        {"type": "DIRECT", "subtype": "IDENTITY"},
        {"type": "DIRECT", "subtype": "TRANSFORMATION", "description": "coalesce(a, b)", "masking": False},
    )
    fields = {
        f"column_{number:02}": {
            "inputFields": [
                {
                    "namespace": source["namespace"],
                    "name": source["name"],
                    "field": f"column_{number:02}",
                    "transformations": [how],
                }
                for source, how in zip(sources, hows, strict=True)
            ]
        }
        for number in range(COLUMNS)
    }
    return facet("ColumnLineageDatasetFacet", fields=fields)


# -- what is asked about ---------------------------------------------------------------------------


def layered_name(layer: int, place: int) -> str:
    """The dataset that the job at this place of a layer writes; layer -1 holds the sources."""
    return f"layer_{layer:02}.table_{place:02}" if layer >= 0 else f"source.table_{place:02}"


def layered_inputs() -> list[tuple[int, int, tuple[int, int]]]:
    """Every job as (layer, place, places of its two inputs in the layer before), at random but always alike."""
    chance = random.Random(1)
    return [
        (layer, place, (pair[0], pair[1]))
        for layer in range(LAYERS)
        for place in range(WIDTH)
        for pair in [chance.sample(range(WIDTH), 2)]
    ]


def layered(start: datetime) -> Iterator[bytes]:
    """One COMPLETE for each of 1,000 jobs: two datasets of the layer before in, one with 20 columns out."""
    runs = Runs(start, "layered")
    for layer, place, sources in layered_inputs():
        inputs = [_dataset("layered-db", layered_name(layer - 1, source)) for source in sources]
        output = _dataset("layered-db", layered_name(layer, place))
        output["facets"]["columnLineage"] = column_lineage((inputs[0], inputs[1]))
        job = {"namespace": LAYERED_NAMESPACE, "name": f"layer_{layer:02}.job_{place:02}"}
        yield encoded(run_event("COMPLETE", runs.time(), {"runId": runs.id()}, job, inputs, [output]))


def bystanders(count: int, start: datetime) -> Iterator[bytes]:
    """More jobs in the namespace of the layered graph, apart from it: they fill its lists."""
    runs = Runs(start, "bystanders")
    for number in range(count):
        job = {"namespace": LAYERED_NAMESPACE, "name": f"bystander_{number:05}"}
        inputs = [{"namespace": "layered-db", "name": f"bystander.in_{number:05}"}]
        outputs = [{"namespace": "layered-db", "name": f"bystander.out_{number:05}"}]
        yield encoded(run_event("COMPLETE", runs.time(), {"runId": runs.id()}, job, inputs, outputs))


def hub(neighbours: int, start: datetime) -> Iterator[bytes]:
    """One dataset that as many jobs read."""
    runs = Runs(start, "hub")
    for number in range(neighbours):
        job = {"namespace": "hub", "name": f"reader_{number:05}"}
        inputs = [{"namespace": "hub-db", "name": "hub"}]
        outputs = [{"namespace": "hub-db", "name": f"reader_{number:05}.out"}]
        yield encoded(run_event("COMPLETE", runs.time(), {"runId": runs.id()}, job, inputs, outputs))


def bulk_dataset(job: int) -> str:
    """The name of the dataset that a bulk job writes."""
    return f"team_{job % 97:02}/area_{job % 1009:04}/table_{job:06}"


def bulk_job(job: int) -> str:
    """The name of a bulk job."""
    return f"team_{job % 97:02}.load_{job:06}"


def bulk(jobs: int, start: datetime) -> Iterator[bytes]:
    """Blocks of 100 jobs that read three datasets and write one, and beside each a job that writes 900 at once.

    In a block, a job reads what three jobs about ten places before it wrote; all blocks have the same shape.
    """
    runs = Runs(start, "bulk")
    for first in range(0, jobs, BULK_BLOCK):
        wide = {"namespace": f"{BULK_NAMESPACE}-wide", "name": f"copy_{first:06}"}
        copies = [_named(f"copy/{first:06}/table_{number:03}") for number in range(BULK_COPIES)]
        yield encoded(run_event("COMPLETE", runs.time(), {"runId": runs.id()}, wide, [], copies))
        for number in range(first, min(jobs, first + BULK_BLOCK)):
            row, place = divmod(number - first, 10)
            above = first + 10 * row - 10
            sources = [above + (place + step) % 10 for step in (0, 1, 3)] if row else []
            inputs = [_named(bulk_dataset(source)) for source in sources]
            outputs = [_named(bulk_dataset(number))]
            job = {"namespace": BULK_NAMESPACE, "name": bulk_job(number)}
            yield encoded(run_event("COMPLETE", runs.time(), {"runId": runs.id()}, job, inputs, outputs))


def _named(name: str) -> Json:
    return {"namespace": "bulk-db", "name": name}
