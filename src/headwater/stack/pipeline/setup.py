"""What both ways to run the pipeline share: its services and connectors, and that nothing of it is left at the end."""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from rich.console import Console

from headwater.capture.connect.worker import Worker
from headwater.pipeline.connectors.files import load, placeholders, secrets
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.shop import open_shop
from headwater.stack.handover import hand_over, pipeline_settings
from headwater.stack.jars.folders import JOB_JARS
from headwater.stack.lab import Lab
from headwater.stack.pipeline.stages import Stages
from headwater.stack.processes.interrupts import uninterrupted
from headwater.stack.service import Service
from headwater.stack.supervisor.board import Board
from headwater.stack.supervisor.stopping import down
from headwater.stack.supervisor.up import Up, up

CONNECTORS = ("orders-source-multi", "orders-iceberg-sink")
# An object for each record takes long for many orders at once, and nothing in the pipeline reads them.
LIVE_CONNECTORS = (*CONNECTORS, "orders-s3-objects")
STREAMS = ("iceberg-ingestion", "supplier-stats", "orders-s3-sink")


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the person asked for."""

    rate: float
    orders: int | None = None
    seed: int | None = None
    as_json: bool = False


@dataclass(frozen=True, kw_only=True)
class Running:
    """A lab whose services run for the pipeline."""

    lab: Lab
    settings: PipelineSettings
    worker: Worker
    came_up: Up
    stages: Stages
    console: Console


@contextmanager
def running_services(
    lab: Lab,
    services: Sequence[Service],
    stages: Stages,
    console: Console,
    env: Mapping[str, str] = os.environ,
) -> Iterator[Running]:
    """Bring the services up; at the end stop those that were not running before."""
    came_up = up(lab, services, (), Board(console), env, more_jars=(JOB_JARS,))
    stages.seconds["services"] = came_up.seconds
    try:
        hand_over(came_up.lab)
        settings = pipeline_settings(came_up.lab)
        with Worker(settings.connect.url, secrets(settings)) as worker:
            yield Running(
                lab=came_up.lab, settings=settings, worker=worker, came_up=came_up, stages=stages, console=console
            )
    finally:
        if came_up.started:
            with uninterrupted(), stages.quietly("stop"):
                names = () if len(came_up.started) == len(services) else came_up.started
                try:
                    down(came_up.lab, services, names, Board(console))
                except OSError:
                    # The terminal is gone; what runs must go all the same.
                    down(came_up.lab, services, names, Board(Console(quiet=True)))


def apply_connectors(running: Running, variants: Sequence[str]) -> None:
    """Make the shop's tables, and bring connectors to the worker; all of them run when this returns."""
    open_shop(running.settings.shop.url).close()
    values = placeholders(running.settings)
    for variant in variants:
        running.worker.apply(load(variant, values))
