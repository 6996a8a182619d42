"""The processes that this one started and does not wait for: each is reaped as soon as it ends, and how it ended kept.

A child that is not reaped stays in the system's table as if it still ran; PostgreSQL refuses to start beside one.
"""

import os
import threading

LAST_BREATH = 2.0


class Child:
    """A process that this one started, with a thread that waits for its end."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.code: int | None = None
        self.thread = threading.Thread(target=self.wait, name=f"child {pid}", daemon=True)
        self.thread.start()

    def wait(self) -> None:
        """Wait for the end of the process."""
        _, status = os.waitpid(self.pid, 0)
        self.code = os.waitstatus_to_exitcode(status)


# By process id. A process can have children but once, so this is the process's own, not some caller's.
CHILDREN: dict[int, Child] = {}


def look_after(pid: int) -> None:
    """Reap a child when it ends."""
    CHILDREN[pid] = Child(pid)


def code_of(pid: int) -> int | None:
    """How a child that is about to end, or has ended, did so: its exit code, or minus the signal; None if not known."""
    child = CHILDREN.get(pid)
    if child is None:
        return None
    # The first of a program's threads can be gone for a moment before the last one is.
    child.thread.join(LAST_BREATH)
    return child.code
