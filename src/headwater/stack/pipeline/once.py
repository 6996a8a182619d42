"""`headwater lab pipeline --once`: each stage of the pipeline to its end, and a comparison of what came of it."""

import json
import tempfile
from pathlib import Path
from threading import Event

from headwater.pipeline.census import (
    STATS_TOPIC,
    archive_tally,
    export_shop,
    shop_days,
    shop_tally,
    table_tallies,
    topic_tally,
    window_tallies,
)
from headwater.pipeline.generator import Plan, generate
from headwater.pipeline.reconcile import Reconciliation, Tally, reconcile
from headwater.pipeline.shop import KEYS, Shop, open_shop
from headwater.pipeline.topic_reader import TopicReader
from headwater.stack.pipeline.arrival import wait_for_sink, wait_for_topic
from headwater.stack.pipeline.job_runs import Job, run_jobs, running_beside
from headwater.stack.pipeline.setup import CONNECTORS, STREAMS, Running, Wish, apply_connectors

ORDERS = 4_000
JOB_TIMEOUT = 600.0
AT_A_TIME = 2


def run_once(running: Running, wish: Wish) -> Reconciliation:
    """Every stage to its end, and what each place holds then."""
    stages, settings = running.stages, running.settings
    with stages.stage("connectors") as note:
        apply_connectors(running, CONNECTORS)
        note.text = ", ".join(running.worker.names())
    with stages.stage("orders") as note:
        plan = Plan(rate=wish.rate, orders=wish.orders or ORDERS, seed=wish.seed, fast=True)
        note.text = f"{generate(settings.shop.url, plan, Event()):,} written into the shop"
    with open_shop(settings.shop.url) as shop:
        with stages.stage("topics") as note:
            offsets = {topic: wait_for_topic(running, shop, topic) for topic in KEYS}
            note.text = "the source connector has brought every row"
        with stages.stage("streams and batch") as note:
            took = run_jobs(running.lab, jobs(shop), AT_A_TIME, JOB_TIMEOUT)
            note.text = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in took.items())
        with stages.stage("Iceberg sink"):
            wait_for_sink(running, "orders-iceberg-sink", "bids", offsets["bids"])
        with stages.stage("reconcile"):
            return compare(running, shop)


def jobs(shop: Shop) -> list[Job]:
    """The streams, each over what is there, and the batch for every day that has orders, once they are in the table."""
    days = [arg for day in shop_days(shop) for arg in ("--date", str(day))]
    batch = Job("supplier_stats", tuple(days), after=("iceberg-ingestion",))
    first, *others = (Job(name, ("--once",)) for name in STREAMS)
    return [first, others[0], batch, *others[1:]]


def compare(running: Running, shop: Shop) -> Reconciliation:
    """Count what every place holds, in the order in which rows come there, and hold it against the shop."""
    settings = running.settings
    with tempfile.TemporaryDirectory(dir=running.lab.run(), prefix="reconcile-") as name:
        folder, report = Path(name), Path(name) / "report.json"
        export_shop(shop, folder)
        job = Job("reconcile", ("--expected", str(folder), "--output", str(report)))
        with running_beside(running.lab, job, JOB_TIMEOUT):
            topics = [count_topic(running, shop, topic) for topic in KEYS]
            archive = archive_tally(settings, shop)
            with TopicReader(settings.kafka, STATS_TOPIC) as reader:
                windows, told = window_tallies(reader, settings, shop)
        tables = table_tallies(json.loads(report.read_text()), settings)
    truths = [*(shop_tally(shop, table) for table in KEYS), windows]
    return reconcile(truths, [*topics, *tables, archive, told])


def count_topic(running: Running, shop: Shop, topic: str) -> Tally:
    """What a topic holds."""
    with TopicReader(running.settings.kafka, topic) as reader:
        return topic_tally(reader, shop)
