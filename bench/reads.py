"""Questions to a server, timed one after the other on one connection."""

from collections.abc import Sequence
from dataclasses import dataclass

from bench.client import Reader, percentile
from bench.processes import cpu_seconds


@dataclass(frozen=True)
class Timing:
    """How long the answers took, sorted, in seconds; and the processor time of one, if the processes are known."""

    seconds: Sequence[float]
    cpu_ms: float | None

    @property
    def median(self) -> float:
        return percentile(self.seconds, 50)

    @property
    def p95(self) -> float:
        return percentile(self.seconds, 95)

    @property
    def cpu(self) -> str:
        """The processor time in words, for a note; it moves less with a busy machine than the clock does."""
        return "" if self.cpu_ms is None else f"CPU {self.cpu_ms:.3g} ms"


def ask(reader: Reader, paths: Sequence[str], repeats: int, pids: Sequence[int | None] = ()) -> Timing:
    """Ask `repeats` times, going round `paths`; one answer before them is not counted."""
    known = [pid for pid in pids if pid is not None]
    reader.get(paths[0])
    before = sum(map(cpu_seconds, known))
    seconds = sorted(reader.get(paths[number % len(paths)])[1] for number in range(repeats))
    used = sum(map(cpu_seconds, known)) - before
    return Timing(seconds, used / repeats * 1000 if known else None)
