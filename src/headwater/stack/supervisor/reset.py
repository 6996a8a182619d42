"""Takes a lab back to nothing: what it keeps is removed, what was downloaded for every lab stays."""

import shutil
from collections.abc import Sequence
from contextlib import suppress

from headwater.errors import HeadwaterError
from headwater.stack.credentials import CREDENTIALS_FILE
from headwater.stack.handover import PIPELINE_FILE
from headwater.stack.lab import Lab
from headwater.stack.processes.lock import locked
from headwater.stack.service import Service
from headwater.stack.supervisor.board import Board
from headwater.stack.supervisor.stopping import end_everything

# Only what a lab makes is removed: a home that was named by mistake keeps the rest.
FOLDERS = ("data", "config", "jars", "logs", "run")
FILES = (CREDENTIALS_FILE, PIPELINE_FILE, ".gitignore")


def reset(lab: Lab, services: Sequence[Service], board: Board) -> int:
    """Stop whatever runs and remove the lab's data, credentials and logs; how many bytes that freed."""
    if not (lab.home / CREDENTIALS_FILE).exists():
        raise HeadwaterError(f"{lab.home} is not the home of a lab, so nothing was removed; name one with --home")
    with locked(lab, board.say):
        end_everything(lab, services, board)
        freed = sum(file.lstat().st_size for file in lab.home.rglob("*") if not file.is_dir())
        # Without its credentials a home is no lab: they go last, so that a reset cut short can be repeated.
        for name in FOLDERS:
            shutil.rmtree(lab.home / name, ignore_errors=True)
        for name in reversed(FILES):
            # A write that was killed leaves a file that begins with a dot and the name.
            for left in lab.home.glob(f".{name}.*"):
                left.unlink()
            (lab.home / name).unlink(missing_ok=True)
    with suppress(OSError):
        lab.home.rmdir()
    return freed
