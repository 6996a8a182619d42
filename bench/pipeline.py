"""The orders pipeline on real services: Kafka → Iceberg beside plain Parquet and the sink connector; supplier-stats.

Every round runs the candidates one after the other over the same topic, so that a busy machine hits all alike; the
ratio of a round is what is compared, and the median of the rounds is shown. HEADWATER_PIPELINE names the settings of a
lab that runs already; without it one is started.
"""

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from statistics import median, quantiles

from bench import topic
from bench.context import Context
from bench.pipeline_lab import connector_seconds, lab_settings, new_corner, window_delays
from bench.pipeline_runs import CANDIDATES, Pass, Runs, took
from bench.report import Figure, Target
from headwater.pipeline.session import build_session

GROUP = "The orders pipeline"
RATE = 10_000


def measure(context: Context) -> Iterator[Figure]:
    """Ingestion, its parts, its peers, and the windowed totals."""
    with ExitStack() as stack:
        settings = stack.enter_context(lab_settings(context.directory / "lab"))
        conf = {**settings.spark.conf, "spark.ui.showConsoleProgress": "false"}
        quiet = replace(settings, spark=replace(settings.spark, event_log="", conf=conf))
        spark = build_session(quiet, "bench")
        spark.sparkContext.setLogLevel("ERROR")
        stack.callback(spark.stop)
        runs = Runs(spark, new_corner(quiet, context.directory), context.directory, context.scaled(2_000_000, 20_000))
        with context.doing(f"{runs.count:,} orders into Kafka"):
            runs.fill()
        passes = ingest(context, runs)
        yield from against_parquet(passes)
        yield from where_time_goes(passes, runs.commit_seconds())
        yield against_connector(context, runs, median(one.speed for one in passes["iceberg"]))
        yield from windows(context, runs)


def ingest(context: Context, runs: Runs) -> dict[str, list[Pass]]:
    """Run every candidate in every round; the round before the first is for the JVM's compiler."""
    passes: dict[str, list[Pass]] = {name: [] for name in CANDIDATES}
    for number in range(context.rounds + 1):
        for name in CANDIDATES:
            with context.doing(f"round {number} of {context.rounds}: {name}"):
                done = runs.over_the_topic(name)
            context.say(f"{name}: {done.speed:,.0f} rows/s, {done.cpu_micros:.1f} µs of CPU a row")
            if number:
                passes[name].append(done)
    return passes


def against_parquet(passes: dict[str, list[Pass]]) -> Iterator[Figure]:
    """The speed, and its share of the speed of plain Parquet."""
    iceberg, parquet = passes["iceberg"], passes["parquet"]
    cpu = {name: median(one.cpu_micros for one in passes[name]) for name in ("iceberg", "parquet")}
    yield Figure(
        GROUP,
        f"Kafka → Iceberg with Avro decode, {iceberg[0].rows:,} orders in {iceberg[0].batches} micro-batches",
        median(one.speed for one in iceberg),
        "rows/s",
        limit=median(one.speed for one in parquet),
        more_is_better=True,
        note=f"{cpu['iceberg']:.1f} µs of CPU a row; the limit is plain Parquet on local disk: {cpu['parquet']:.1f} µs",
    )
    yield Figure(
        GROUP,
        "the same as a share of plain Parquet",
        median(one.speed / other.speed for one, other in zip(iceberg, parquet, strict=True)),
        "×",
        target=Target(0.8, "at least 0.8 of plain Parquet"),
        more_is_better=True,
        note=f"{cpu['parquet'] / cpu['iceberg']:.2f} by CPU time",
    )


def where_time_goes(passes: dict[str, list[Pass]], commit: float) -> Iterator[Figure]:
    """The parts of ingestion, each the difference that one more step makes."""
    seconds = {name: median(one.seconds for one in passes[name]) for name in CANDIDATES}
    whole, commits = seconds["iceberg"], commit * passes["iceberg"][0].batches
    parts = {
        "read from Kafka": seconds["read"],
        "decode": seconds["decode"] - seconds["read"],
        "write": whole - seconds["decode"] - commits,
        "commit": commits,
    }
    for name, part in parts.items():
        yield Figure(GROUP, f"of the time of Kafka → Iceberg: {name}", 100 * part / whole, "%")
    yield Figure(GROUP, "one commit to Iceberg", commit, "s")


def against_connector(context: Context, runs: Runs, speed: float) -> Figure:
    """The sink connector on the same topic."""
    with context.doing("the Iceberg sink connector"):
        seconds, cpu = connector_seconds(runs.spark, runs.settings, runs.count)
    theirs = runs.count / seconds
    return Figure(
        GROUP,
        "Kafka → Iceberg, times the speed of the Iceberg sink connector",
        speed / theirs,
        "×",
        target=Target(2, "at least twice the connector"),
        more_is_better=True,
        note=f"the connector: {theirs:,.0f} rows/s, {1e6 * cpu / runs.count:.1f} µs of CPU a row",
    )


def windows(context: Context, runs: Runs) -> Iterator[Figure]:
    """supplier-stats: as fast as it can, and how long after a window's end its totals are there."""
    passes = []
    for number in range(context.rounds + 1):
        with context.doing(f"round {number} of {context.rounds}: supplier-stats"):
            passes.append(runs.over_the_topic("stats"))
    cpu = median(one.cpu_micros for one in passes[1:])
    what = "supplier-stats, orders it can take"
    speed = median(one.speed for one in passes[1:])
    yield Figure(GROUP, what, speed, "rows/s", more_is_better=True, note=f"{cpu:.1f} µs of CPU a row")
    seconds = context.scaled(90, 40)
    settings = replace(runs.own_checkpoint(), stream=replace(runs.settings.stream, starting_offsets="latest"))
    with context.doing(f"supplier-stats at {RATE:,} orders/s for {seconds} s"):
        query = runs.stats(settings, once=False)
        with topic.steady(settings, RATE, seconds, runs.schema_id) as producer:
            producer.wait()
        progress = [one for one in query.recentProgress if one["numInputRows"]]
        query.stop()
    delays = window_delays(settings)
    taken = sum(one["numInputRows"] for one in progress) / seconds
    note = f"{taken:,.0f} orders/s taken, micro-batches of {median(map(took, progress)):.2f} s (median)"
    where = f"supplier-stats at {RATE:,} orders/s: totals on the topic after a window could be closed"
    yield Figure(GROUP, f"{where}, p50", median(delays), "s", note=f"closed 10 s after its end; {note}")
    yield Figure(GROUP, f"{where}, p95", quantiles(delays, n=20)[-1], "s")
