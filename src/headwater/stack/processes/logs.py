"""Log files of the lab: their last lines, and what they gain while one looks."""

import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.supervisor.selection import unknown

# At its next start a service whose log is larger begins a new one; the old one is kept beside it.
LARGE = 32 * 1024 * 1024
BLOCK = 64 * 1024


def log_of(lab: Lab, name: str, services: Iterable[str]) -> Path:
    """The log file of a service, or of a job that has one."""
    folder = lab.home / "logs"
    known = list(dict.fromkeys([*services, *(file.stem for file in sorted(folder.glob("*.log")))]))
    if name not in known:
        raise unknown("service or job", name, known)
    file = folder / f"{name}.log"
    if not file.exists():
        raise HeadwaterError(f"{name} has written no log in {folder}; start it with: headwater lab up {name}")
    return file


def make_room(log: Path) -> None:
    """Put a large log aside, in place of the one that was put aside before."""
    if log.exists() and log.stat().st_size > LARGE:
        log.replace(log.with_suffix(".log.1"))


def tail(log: Path, count: int, start: int = 0) -> list[str]:
    """The last lines of a log, of those written from byte start on."""
    if not log.exists() or count <= 0:
        return []
    with log.open("rb") as file:
        end = file.seek(0, 2)
        place, text = end, b""
        while place > start and text.count(b"\n") <= count:
            step = min(BLOCK, place - start)
            place = file.seek(place - step)
            text = file.read(step) + text
    return text.decode(errors="replace").splitlines()[-count:]


def follow(log: Path, count: int, going_on: Callable[[], bool], tick: float = 0.1) -> Iterator[str]:
    """The last lines of a log, then each new one as it comes, for as long as going_on says."""
    yield from tail(log, count)
    place = log.stat().st_size if log.exists() else 0
    rest = b""
    while True:
        last = not going_on()
        size = log.stat().st_size if log.exists() else 0
        # A log that shrank was put aside at a new start.
        place = 0 if size < place else place
        if size > place:
            with log.open("rb") as file:
                file.seek(place)
                text = rest + file.read()
                place = file.tell()
            *lines, rest = text.split(b"\n")
            yield from (line.decode(errors="replace") for line in lines)
        if last:
            return
        time.sleep(tick)
