"""The stages of a run, each timed and shown while it lasts."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from rich.console import Console
from rich.text import Text


@dataclass
class Note:
    """What a stage came to, in a few words."""

    text: str = ""


@dataclass
class Stages:
    """What has been done so far, and how long each part took."""

    console: Console
    seconds: dict[str, float] = field(default_factory=dict)
    began: float = field(default_factory=time.monotonic)

    @contextmanager
    def stage(self, name: str) -> Iterator[Note]:
        """Time a stage and show it; what it came to can be said in its note."""
        note = Note()
        with self.console.status(Text(name), spinner="dots"), self.quietly(name):
            yield note
        took = f"{self.seconds[name]:.1f} s"
        self.console.print(Text.assemble(("✓ ", "green"), f"{name} ", (f"{took}  {note.text}", "dim")))

    @contextmanager
    def quietly(self, name: str) -> Iterator[None]:
        """Time a stage that shows itself."""
        began = time.monotonic()
        try:
            yield
        finally:
            self.seconds[name] = time.monotonic() - began

    def total(self) -> float:
        """Seconds since the first stage began."""
        return time.monotonic() - self.began
