"""`headwater lab up`: start services."""

from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from headwater.cli.lab.leaving import ending_with_interrupt, told_in_lines
from headwater.cli.lab.options import Config, Home, Names, lab_packages, open_lab
from headwater.cli.output import stdout

if TYPE_CHECKING:
    from headwater.stack.supervisor.up import Up

LOOPBACK = ("127.0.0.1", "::1", "localhost")


def up(names: Names = None, home: Home = None, config: Config = None) -> None:
    """Start services, and return when all of them are healthy.

    What they need is started too, downloaded first if it must be. What runs and is healthy is left alone.

    Ctrl-C stops what this command started.
    """
    lab = open_lab(home, config, make=True)
    with lab_packages():
        from headwater.stack.handover import hand_over
        from headwater.stack.jars.folders import JOB_JARS
        from headwater.stack.processes.interrupts import interruptible
        from headwater.stack.services import SERVICES
        from headwater.stack.supervisor.board import Board
        from headwater.stack.supervisor.up import up as bring_up
    console = stdout()
    with interruptible(), told_in_lines(), ending_with_interrupt("what this command had started is stopped again"):
        # A whole lab is made to run jobs: all that must be downloaded for that comes with it.
        result = bring_up(lab, SERVICES, names or (), Board(console), more_jars=() if names else (JOB_JARS,))
        hand_over(result.lab)
    print_next_steps(console, result, whole=not names)


def print_next_steps(console: Console, result: "Up", whole: bool) -> None:
    """Say what was done and what one can do now, with a whole lab or with a part of one."""
    lab = result.lab
    console.print(Text(f"\n{len(result.started)} started, all healthy after {result.seconds:.1f} s"))
    if lab.host not in LOOPBACK:
        console.print(Text(f"services listen on {lab.host}, and some of them let anyone in who can reach it", "yellow"))
    places = [
        ("lineage", lab.address("lineage")),
        ("Spark jobs", lab.address("history")),
        ("for jobs", f"{lab.home}/pipeline.toml"),
    ]
    next_steps = ("next", "headwater lab run · headwater lab status · headwater lab down")
    for label, value in [*(places if whole else []), next_steps]:
        console.print(Text.assemble((f"  {label:<12}", "dim"), value))
