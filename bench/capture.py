"""What lineage costs a Spark job: a stream and a batch job with capture and without, in turns, on real services.

The two of a pair run one after the other over the same orders, and each pair begins with the other one, so that a busy
or warming machine hits both alike; the ratio of a pair is what is compared, and the median of the pairs is shown.
HEADWATER_PIPELINE names the settings of a lab that runs already; without it one is started.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from statistics import median, quantiles
from urllib.request import urlopen

import msgspec

from bench import topic
from bench.context import Context
from bench.pipeline_lab import lab_settings, new_corner
from bench.pipeline_runs import Runs, took
from bench.processes import Sqlite, headwater
from bench.report import Figure, Target
from headwater.capture.place import DIRECTORY_VARIABLE
from headwater.pipeline import streaming, tables
from headwater.pipeline.session import build_session
from headwater.pipeline.settings import Lineage, PipelineSettings
from headwater.pipeline.transforms import supplier_hours
from headwater.spark import attach

GROUP = "Capture of Spark's lineage"
PAIRS = 6
# Records of a micro-batch: as many as a busy topic gives in the seconds between two of them.
BATCH = 50_000
# Micro-batches at the beginning of each turn that do not count: Spark compiles code, and capture reads the plan.
SETTLING = 5
TRIGGER_SECONDS = 5
SETTLED_SECONDS = 20
AGENT_EVENTS = 2_900  # an hour of the same trigger, by the OpenLineage agent alone


@dataclass(frozen=True)
class Pass:
    """One turn: the stream's speed and micro-batches, and the batch job."""

    speed: float
    batches: list[float]
    batch_job: float


def measure(context: Context) -> Iterator[Figure]:
    """The cost in throughput, in micro-batch time, in batch time, at the start, and in events."""
    with ExitStack() as stack:
        server = stack.enter_context(headwater(Sqlite(context.directory).create()))
        settings = stack.enter_context(lab_settings(context.directory / "lab"))
        stack.enter_context(outbox(context))
        quiet = reporting_to(server.url, settings)
        spark = build_session(quiet, "bench-capture")
        spark.sparkContext.setLogLevel("ERROR")
        stack.callback(spark.stop)
        corner = new_corner(quiet, context.directory)
        corner = replace(corner, stream=replace(corner.stream, max_offsets=context.scaled(BATCH, 5_000)))
        runs = Runs(spark, corner, context.directory, context.scaled(1_250_000, 50_000))
        with context.doing(f"{runs.count:,} orders into Kafka"):
            runs.fill()
        yield from compared(pairs(context, runs))
        yield attaching(context, server.url)
        yield events_an_hour(context, runs, server.url)


def reporting_to(url: str, settings: PipelineSettings) -> PipelineSettings:
    """The settings of a session that says nothing, and reports to this server."""
    conf = {**settings.spark.conf, "spark.ui.showConsoleProgress": "false"}
    return replace(settings, spark=replace(settings.spark, event_log="", conf=conf), lineage=Lineage(url=url))


@contextmanager
def outbox(context: Context) -> Iterator[None]:
    """An outbox of this run's own."""
    before = os.environ.get(DIRECTORY_VARIABLE)
    os.environ[DIRECTORY_VARIABLE] = str(context.directory / "outbox")
    try:
        yield
    finally:
        os.environ.pop(DIRECTORY_VARIABLE)
        if before is not None:
            os.environ[DIRECTORY_VARIABLE] = before


def pairs(context: Context, runs: Runs) -> list[tuple[Pass, Pass]]:
    """With and without; the pair before the first is for the JVM's compiler."""
    found = []
    count = 1 if context.quick else max(PAIRS, context.rounds)
    for number in range(count + 1):
        turns: dict[bool, Pass] = {}
        for captured in (True, False) if number % 2 else (False, True):
            what = "with" if captured else "without"
            with context.doing(f"pair {number} of {count}: {what} capture"):
                turns[captured] = one_pass(runs, captured)
            done = turns[captured]
            context.say(
                f"{what}: {done.speed:,.0f} rows/s, p95 {p95(done.batches):.3f} s, batch {done.batch_job:.2f} s"
            )
        if number:
            found.append((turns[True], turns[False]))
    return found


def one_pass(runs: Runs, captured: bool) -> Pass:
    """The stream over the whole topic, then the batch job over the table that it made."""
    capture = attach(runs.spark) if captured else None
    settings = runs.own_checkpoint()
    columns = ("key", "value", "topic", "partition", "offset")
    frames = streaming.read_topic(runs.spark, settings, settings.topics.orders).select(*columns)
    writer = frames.writeStream.foreachBatch(runs.candidate("iceberg"))
    query = streaming.start(writer, "bench-capture", settings, True, "0 seconds")
    query.awaitTermination()
    batches = [one for one in query.recentProgress if one["numInputRows"]][SETTLING:]
    batch_job = batch_seconds(runs)
    if capture is not None:
        capture.close()
    seconds = [took(one) for one in batches]
    return Pass(sum(one["numInputRows"] for one in batches) / sum(seconds), seconds, batch_job)


def batch_seconds(runs: Runs) -> float:
    """How long the totals of the table take to make and write."""
    catalog = replace(runs.settings.catalog, namespace=runs.table.split(".")[1])
    target = tables.make_supplier_stats(runs.spark, catalog)
    began = time.perf_counter()
    supplier_hours(runs.spark.table(runs.table)).writeTo(target).overwritePartitions()
    return time.perf_counter() - began


def compared(found: list[tuple[Pass, Pass]]) -> Iterator[Figure]:
    """Each figure as the share that capture takes or adds."""
    speed = median(100 * (1 - with_.speed / without.speed) for with_, without in found)
    batch = median(100 * (p95(with_.batches) / p95(without.batches) - 1) for with_, without in found)
    job = median(100 * (with_.batch_job / without.batch_job - 1) for with_, without in found)
    rates = f"{median(one.speed for one, _ in found):,.0f} of {median(one.speed for _, one in found):,.0f} rows/s"
    times = (
        f"{median(p95(one.batches) for one, _ in found):.3f} s for {median(p95(one.batches) for _, one in found):.3f} s"
    )
    jobs = f"{median(one.batch_job for one, _ in found):.2f} s for {median(one.batch_job for _, one in found):.2f} s"
    yield Figure(GROUP, "Kafka → Iceberg, throughput lost", speed, "%", target=Target(1, "within 1 %"), note=rates)
    yield Figure(
        GROUP, "Kafka → Iceberg, p95 micro-batch longer", batch, "%", target=Target(2, "within 2 %"), note=times
    )
    yield Figure(GROUP, "batch job longer", job, "%", note=jobs)


def attaching(context: Context, url: str) -> Figure:
    """How long a program waits that attaches to the session that it has just made."""
    command = [sys.executable, "-m", "bench.attaching", url, str(context.directory / "outbox")]
    count = 1 if context.quick else PAIRS
    with context.doing(f"{count} programs that attach to a new session"):
        seconds = [
            float(subprocess.run(command, check=True, capture_output=True, text=True).stdout) for _ in range(count)
        ]
    return Figure(GROUP, "attach, to a new session", median(seconds), "s", target=Target(0.5, "under half a second"))


def events_an_hour(context: Context, runs: Runs, url: str) -> Figure:
    """How many events a stream sends that has settled down, at a trigger of five seconds."""
    seconds = context.scaled(240, 20)
    settings = replace(runs.own_checkpoint(), stream=replace(runs.settings.stream, starting_offsets="latest"))
    with context.doing(f"a stream with a trigger of {TRIGGER_SECONDS} s, for {SETTLED_SECONDS + seconds} s"):
        capture = attach(runs.spark)
        frames = streaming.read_topic(runs.spark, settings, settings.topics.orders)
        writer = frames.select("key", "value", "topic", "partition", "offset").writeStream
        batches = writer.foreachBatch(runs.candidate("iceberg"))
        query = streaming.start(batches, "bench-events", settings, False, f"{TRIGGER_SECONDS} seconds")
        with topic.steady(settings, 100, SETTLED_SECONDS + seconds, runs.schema_id) as producer:
            time.sleep(SETTLED_SECONDS)
            before = stored(url)
            producer.wait()
            sent = stored(url) - before
        query.stop()
        if capture is not None:
            capture.close()
    return Figure(
        GROUP,
        f"events an hour of a stream with a trigger of {TRIGGER_SECONDS} s",
        sent * 3600 / seconds,
        "",
        target=Target(120, "at most 120"),
        note=f"the OpenLineage agent alone sends about {AGENT_EVENTS:,}",
    )


def stored(url: str) -> int:
    """How many events the server has."""
    with urlopen(f"{url}/api/v1/events/lineage?limit=1", timeout=30) as answer:
        return int(msgspec.json.decode(answer.read())["totalCount"])


def p95(seconds: list[float]) -> float:
    """All but the slowest twentieth took no longer."""
    return quantiles(seconds, n=20)[-1] if len(seconds) > 1 else seconds[0]
