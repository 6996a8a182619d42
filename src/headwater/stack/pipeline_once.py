"""`headwater lab pipeline --once`: each stage of the pipeline to its end, and a comparison of what came of it."""

import json
import tempfile
from pathlib import Path
from threading import Event
from typing import Any

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
from headwater.stack.arrival import wait_for_sink, wait_for_topic
from headwater.stack.job_runs import Job, run_jobs
from headwater.stack.pipeline_setup import CONNECTORS, STREAMS, Running, Wish, apply_connectors

ORDERS = 4_000
JOB_TIMEOUT = 600.0
STREAMS_AT_A_TIME = 2


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
        with stages.stage("streams") as note:
            jobs = [Job(name, ("--once",)) for name in STREAMS]
            took = run_jobs(running.lab, jobs, STREAMS_AT_A_TIME, JOB_TIMEOUT)
            note.text = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in took.items())
        with stages.stage("Iceberg sink"):
            wait_for_sink(running, "orders-iceberg-sink", "bids", offsets["bids"])
        with stages.stage("batch") as note:
            days = shop_days(shop)
            run_jobs(running.lab, [Job("supplier_stats", ("--date", str(day))) for day in days], 1, JOB_TIMEOUT)
            note.text = ", ".join(map(str, days))
        with stages.stage("reconcile"):
            return compare(running, shop)


def compare(running: Running, shop: Shop) -> Reconciliation:
    """Count what every place holds, in the order in which rows come there, and hold it against the shop."""
    settings = running.settings
    found: list[Tally] = []
    for topic in KEYS:
        with TopicReader(settings.kafka, topic) as reader:
            found.append(topic_tally(reader, shop))
    found += table_tallies(count_tables(running, shop), settings)
    found.append(archive_tally(settings, shop))
    with TopicReader(settings.kafka, STATS_TOPIC) as reader:
        windows, told = window_tallies(reader, settings, shop)
    return reconcile([*(shop_tally(shop, table) for table in KEYS), windows], [*found, told])


def count_tables(running: Running, shop: Shop) -> dict[str, Any]:
    """What the Iceberg tables hold, as Spark counts it."""
    with tempfile.TemporaryDirectory(dir=running.lab.run(), prefix="reconcile-") as name:
        folder, report = Path(name), Path(name) / "report.json"
        export_shop(shop, folder)
        job = Job("reconcile", ("--expected", str(folder), "--output", str(report)))
        run_jobs(running.lab, [job], 1, JOB_TIMEOUT)
        counted: dict[str, Any] = json.loads(report.read_text())
        return counted
