"""Looks at a running pipeline every few seconds, beside whatever shows it: a service that hangs holds up nothing."""

import threading
import time
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass

import psycopg

from headwater.capture.connect.answers import ConnectorFailed
from headwater.capture.connect.worker import Worker
from headwater.errors import HeadwaterError
from headwater.pipeline.census import STATS_TOPIC
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.shop import KEYS, open_shop
from headwater.pipeline.topic_reader import TopicReader
from headwater.stack.pipeline.job_runs import GOOD_RUN, pause_after
from headwater.stack.pipeline.progress import TopicLog, checkpoint_offsets, connector_offsets

EVERY = 2.0
SINK = "orders-iceberg-sink"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What one look found: rows by place, rows that a place still lacks, and how each connector is."""

    shop: dict[str, int]
    topics: dict[str, int]
    # By job or connector: records of its topic that it has not taken over yet.
    behind: dict[str, int]
    # By connector: its state, or why it failed.
    connectors: dict[str, str]


class Watcher(AbstractContextManager["Watcher"]):
    """A thread that looks; `seen` is its last look, `trouble` why there is no newer one."""

    def __init__(self, settings: PipelineSettings, worker: Worker, streams: tuple[str, ...]) -> None:
        self.settings = settings
        self.worker = worker
        self.streams = streams
        self.seen: Seen | None = None
        self.trouble = ""
        # By connector: how often it failed, and when it is to be started again.
        self.failed: dict[str, tuple[int, float]] = {}
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, name="watcher", daemon=True)

    def __enter__(self) -> "Watcher":
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop.set()
        # A look at a service that hangs may take longer than anyone wants to wait; the thread holds nothing up.
        self.thread.join(EVERY)

    def run(self) -> None:
        """Look until told to stop."""
        while not self.stop.is_set():
            try:
                with ExitStack() as stack:
                    kafka = self.settings.kafka
                    logs = {
                        topic: TopicLog(stack.enter_context(TopicReader(kafka, topic)))
                        for topic in (*KEYS, STATS_TOPIC)
                    }
                    while not self.stop.is_set():
                        self.seen, self.trouble = self.look(logs), ""
                        self.stop.wait(EVERY)
            except (HeadwaterError, psycopg.Error) as error:
                self.trouble = str(error).strip().partition("\n")[0]
                self.stop.wait(EVERY)

    def look(self, logs: dict[str, TopicLog]) -> Seen:
        """Count everything once."""
        for log in logs.values():
            log.look()
        with open_shop(self.settings.shop.url) as shop:
            counts = {table: shop.execute(f"SELECT count(*) FROM {table}").fetchone() for table in KEYS}
        root = self.settings.spark.checkpoints
        behind = {name: logs["orders"].behind(checkpoint_offsets(root, name, "orders")) for name in self.streams}
        behind[SINK] = logs["bids"].behind(connector_offsets(self.worker.offsets(SINK), "bids"))
        return Seen(
            shop={table: row[0] if row else 0 for table, row in counts.items()},
            topics={topic: log.rows for topic, log in logs.items()},
            behind=behind,
            connectors={name: self.state(name) for name in self.worker.names()},
        )

    def state(self, connector: str) -> str:
        """How a connector is, in words; one that failed is started again, after a longer wait each time."""
        failures, next_start = self.failed.get(connector, (0, 0.0))
        try:
            self.worker.check(connector)
        except ConnectorFailed as error:
            if time.monotonic() >= next_start:
                self.worker.restart(connector)
                self.failed[connector] = (failures + 1, time.monotonic() + pause_after(failures + 1))
            return str(error)
        if time.monotonic() > next_start + GOOD_RUN:
            self.failed.pop(connector, None)
        return ", ".join(task.state.lower() for task in self.worker.tasks(connector)) or "no tasks"
