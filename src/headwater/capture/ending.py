"""How this process ends: whoever has runs open hears of it in time to report them, whatever the way out is."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from types import FrameType, TracebackType
from typing import Any, NoReturn

from headwater.capture.emitter import drain_all

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Ending:
    """The end of something that ran: COMPLETE, FAIL or ABORT, and what there is to say about it."""

    kind: str
    message: str = ""
    stack: str = ""


COMPLETED = Ending("COMPLETE")


def ending_of(error: BaseException | None) -> Ending:
    """What an exception means for the block or the program that it ends; one that exits with 0 has done its work."""
    if error is None or (isinstance(error, SystemExit) and error.code in (None, 0)):
        return COMPLETED
    if isinstance(error, KeyboardInterrupt):
        return Ending("ABORT", "interrupted")
    # asyncio's own is not worth an import of asyncio in a job that has no use for it.
    if isinstance(error, GeneratorExit) or type(error).__name__ == "CancelledError":
        return Ending("ABORT", "cancelled")
    if isinstance(error, SystemExit):
        # 128 + the number of a signal is how programs say that one has ended them.
        kind = "ABORT" if error.code in (128 + signal.SIGINT, 128 + signal.SIGTERM) else "FAIL"
        return Ending(kind, f"exited with {error.code}")
    message = "".join(traceback.format_exception_only(error)).strip()
    return Ending("FAIL", message, "".join(traceback.format_exception(error)))


Told = Callable[[Ending], object]


def when_process_ends(told: Told) -> Callable[[], None]:
    """Have `told` called when the process ends; what comes back takes that away again.

    It ends with an exception that nobody caught, with SIGTERM or Ctrl-C, or well. Nothing can be said of SIGKILL.
    """
    return _watch.add(told)


class _Watch:
    """The one place where this process's end is noticed; signals and hooks of others go on working."""

    def __init__(self) -> None:
        self._listeners: dict[int, Told] = {}
        self._ending = COMPLETED
        self._watching = False
        self._next = 0
        self._before: Callable[..., Any] = sys.excepthook
        self._exit: Callable[..., NoReturn] = sys.exit
        self._handler: Any = signal.SIG_DFL

    def add(self, told: Told) -> Callable[[], None]:
        self._watch()
        self._next += 1
        number = self._next
        self._listeners[number] = told
        return lambda: self._listeners.pop(number, None) and None

    def _watch(self) -> None:
        if not self._watching:
            self._watching = True
            self._before, sys.excepthook = sys.excepthook, self._uncaught
            self._exit, sys.exit = sys.exit, self._leaving  # the code of an exit reaches no hook
            names = vars(sys.modules["__main__"])
            names.update({name: sys.exit for name, value in names.items() if value is self._exit})
            _after_the_script(self._script_ended)
            os.register_at_fork(after_in_child=self._listeners.clear)  # the runs are the parent's to report
        # Last in, first out: what is reported here must still find its emitter open.
        atexit.unregister(self._tell)
        atexit.register(self._tell)
        # Only the main thread may, and the program may have put a handler of its own in place of ours.
        if threading.current_thread() is threading.main_thread():
            handler = signal.getsignal(signal.SIGTERM)
            if handler != self._terminated and (handler is signal.SIG_DFL or callable(handler)):
                self._handler = handler
                signal.signal(signal.SIGTERM, self._terminated)

    def _uncaught(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        self._note(ending_of(error))
        self._before(kind, error, where)

    def _leaving(self, code: Any = None) -> NoReturn:
        if threading.current_thread() is threading.main_thread():  # in any other it ends but the thread
            self._note(ending_of(SystemExit(code)))
        try:
            self._exit(code)
        except SystemExit:
            raise  # only an exception that was caught once is an object, which `_uncaught_exit` can find

    def _script_ended(self, error: SystemExit | None) -> None:
        if error is not None:
            self._note(ending_of(error))
        elif self._ending.kind == "FAIL":
            self._ending = COMPLETED  # an exit that the program has caught

    def _note(self, ending: Ending) -> None:
        # Whatever comes after a wish to end comes of it.
        if self._ending.kind != "ABORT":
            self._ending = ending

    def _terminated(self, number: int, frame: FrameType | None) -> None:
        self._ending = Ending("ABORT", "ended by SIGTERM")
        if callable(self._handler):
            self._handler(number, frame)  # the program's own; it decides whether this is the end
            return
        self._tell()
        drain_all()  # the handlers of a normal exit do not run now
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTERM)

    def _tell(self) -> None:
        for number in sorted(self._listeners, reverse=True):  # what began last ends first
            told = self._listeners.pop(number, None)
            try:
                if told is not None:
                    told(self._ending)
            except Exception:
                log.debug("an ending could not be reported", exc_info=True)


def _after_the_script(told: Callable[[SystemExit | None], None]) -> None:
    """Have `told` called after the last line of a script, with the SystemExit that has ended it if one has.

    Python tells nobody of `raise SystemExit(3)`. What it does do, while it holds the exception and no line of the
    program runs any more, is flush sys.stderr. Programs that are run as a module are not flushed so.
    """
    if sys.stderr is None:
        return
    flush = sys.stderr.flush

    def flushed() -> None:
        flush()
        over = sys._getframe().f_back is None and threading.current_thread() is threading.main_thread()
        if over and not hasattr(sys, "ps1"):  # at a prompt, every line ends like that
            told(_uncaught_exit())

    with suppress(AttributeError):  # not every object takes it
        sys.stderr.flush = flushed  # type: ignore[method-assign]


def _uncaught_exit() -> SystemExit | None:
    """The SystemExit that is on its way out of the program: nothing in Python refers to it."""
    gc.collect()  # one that was caught may still be about, in a cycle with its own traceback
    exits: list[SystemExit] = [each for each in gc.get_objects() if issubclass(type(each), SystemExit)]
    for each in exits:
        if all(holder is exits or isinstance(holder, FrameType) for holder in gc.get_referrers(each)):
            return each
    return None


_watch = _Watch()
