"""One command at a time changes a lab."""

import fcntl
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from headwater.stack.lab import Lab

TICK = 0.1


@contextmanager
def locked(lab: Lab, waiting: Callable[[str], None]) -> Iterator[None]:
    """Hold the lab's lock, which the system takes back even from a killed process.

    When another process holds it, `waiting` is told once who that is.
    """
    descriptor = take(lab, waiting)
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, str(os.getpid()).encode(), 0)
        yield
    finally:
        os.close(descriptor)


def take(lab: Lab, waiting: Callable[[str], None]) -> int:
    """Wait for the lock, and return the open file that holds it."""
    told = False
    while True:
        # Opened without emptying it, because the one who holds it has its id in there.
        file = lab.run() / "lock"
        descriptor = os.open(file, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            # A reset may have removed the file in between: then this is the lock of a lab that is gone.
            if file.exists() and os.path.samestat(os.fstat(descriptor), file.stat()):
                return descriptor
        except BlockingIOError:
            if not told:
                holder = os.pread(descriptor, 32, 0).decode(errors="replace") or "unknown"
                waiting(f"another headwater lab command (pid {holder}) is at work on this lab; waiting for it")
                told = True
        os.close(descriptor)
        time.sleep(TICK)
