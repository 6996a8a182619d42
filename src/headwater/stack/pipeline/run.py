"""`headwater lab pipeline`: the services, the connectors and the jobs together, until Ctrl-C or until all is done."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from rich.console import Console

from headwater.stack.lab import Lab
from headwater.stack.pipeline.live import run_live
from headwater.stack.pipeline.once import run_once
from headwater.stack.pipeline.report import print_json, result_json, show_result
from headwater.stack.pipeline.setup import Wish, running_services
from headwater.stack.pipeline.stages import Stages
from headwater.stack.processes.interrupts import interruptible
from headwater.stack.service import Service
from headwater.stack.services import SERVICES

RATE = 10.0
INTERRUPTED = 130


def run_pipeline(
    lab: Lab,
    console: Console,
    *,
    once: bool = False,
    rate: float | None = None,
    orders: int | None = None,
    as_json: bool = False,
    seed: int | None = None,
    services: Sequence[Service] = SERVICES,
    env: Mapping[str, str] = os.environ,
) -> int:
    """Run the pipeline and return the exit code; whatever happens, nothing that this started is left running."""
    wish = Wish(rate=rate or RATE, orders=orders, seed=seed, as_json=as_json)
    stages = Stages(console)
    try:
        with interruptible(), running_services(lab, services, stages, console, env) as running:
            if not once:
                return run_live(running, wish)
            result = run_once(running, wish)
    except KeyboardInterrupt:
        with suppress(OSError):
            console.print("interrupted; what was started has ended", style="dim")
        return INTERRUPTED if once else 0
    show_result(console, result, stages, running.came_up)
    if as_json:
        print_json(result_json(result, stages, running.came_up))
    return 0 if result.agrees else 1
