"""When a person or the system may break off what a command does, and when not."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

# A closed terminal and a stopped unit mean the same as Ctrl-C: clean up and go.
ASKING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@contextmanager
def interruptible() -> Iterator[None]:
    """A block that SIGTERM and SIGHUP end as Ctrl-C does, with KeyboardInterrupt."""

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        raise KeyboardInterrupt

    with handling(interrupt):
        yield


@contextmanager
def uninterrupted() -> Iterator[None]:
    """A block that none of them breaks off: it leaves nothing behind, and is short."""
    with handling(signal.SIG_IGN):
        yield


@contextmanager
def handling(handler: "signal._HANDLER") -> Iterator[None]:
    """A block in which the signals that ask a process to end have this handler."""
    # Only the main thread may, and only there does a signal arrive.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, handler) for number in ASKING}
    try:
        yield
    finally:
        for number, earlier in before.items():
            signal.signal(number, earlier)
