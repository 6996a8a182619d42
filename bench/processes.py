"""The servers under test as processes: started, stopped, and watched through /proc."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO
from urllib.request import urlopen

import psycopg

from bench.client import BenchError
from tests.postgres import create_database, running_postgres

_ROOT = Path(__file__).parents[1]
_TICKS = os.sysconf("SC_CLK_TCK")
_START_DEADLINE = 60.0
_STOP_DEADLINE = 60.0


# -- what a process used ---------------------------------------------------------------------------


@dataclass(frozen=True)
class _Stat:
    parent: int
    seconds: float  # its own, and those of children that ended


def _stats() -> dict[int, _Stat]:
    """Every process there is."""
    found = {}
    for entry in os.scandir("/proc"):
        if not entry.name.isdigit():
            continue
        try:
            text = Path(entry.path, "stat").read_text("latin-1")
        except OSError:
            continue  # it has just ended
        # The command's name is in parentheses and may hold anything.
        fields = text.rpartition(")")[2].split()
        found[int(entry.name)] = _Stat(int(fields[1]), sum(map(int, fields[11:15])) / _TICKS)
    return found


def _family(root: int, stats: dict[int, _Stat]) -> set[int]:
    members, grown = {root}, True
    while grown:
        found = {pid for pid, stat in stats.items() if stat.parent in members} - members
        members |= found
        grown = bool(found)
    return members


def cpu_seconds(root: int) -> float:
    """Processor time, user and system, of a process and everything it started, ended ones included."""
    stats = _stats()
    return sum(stats[pid].seconds for pid in _family(root, stats) if pid in stats)


def resident_mb(root: int) -> float:
    """Memory of a process and everything it started; what they share is counted once (proportional set size)."""
    total = 0
    for pid in _family(root, _stats()):
        try:
            text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        except OSError:
            continue
        # A single process is counted in full, as `ps` does.
        kind = "Rss" if pid == root else "Pss"
        if match := re.search(rf"^{kind}:\s+(\d+) kB", text, re.MULTILINE):
            total += int(match[1])
    return total / 1024


def anonymous_mb(pid: int) -> float:
    """The part of a process's memory that is no file: its resident memory also counts the pages of mapped files."""
    match = re.search(r"^RssAnon:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(), re.MULTILINE)
    return int(match[1]) / 1024 if match else 0.0


# -- servers ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Server:
    """A running server: where it answers, its process, and how long it took to answer for the first time."""

    url: str
    pid: int
    seconds_to_answer: float


@contextmanager
def headwater(database: str) -> Iterator[Server]:
    """`headwater serve` on a free port."""
    program = Path(sys.executable).with_name("headwater")
    with _running(
        lambda port: [str(program), "serve", "--port", str(port), "--database", database],
        "/api/v1/namespaces",
    ) as server:
        yield server


@contextmanager
def limit(database: str) -> Iterator[Server]:
    """The limit (bench/limit.py) on a free port."""
    with _running(
        lambda port: [sys.executable, "-m", "bench.limit", "--port", str(port), "--database", database], "/"
    ) as server:
        yield server


@contextmanager
def connect_worker(connectors: int) -> Iterator[Server]:
    """The API of a Connect worker (bench/connect_worker.py) on a free port."""
    module = [sys.executable, "-m", "bench.connect_worker", "--connectors", str(connectors)]
    with _running(lambda port: [*module, "--port", str(port)], "/") as server:
        yield server


@contextmanager
def _running(command: Callable[[int], list[str]], probe: str) -> Iterator[Server]:
    port = free_port()
    # A settings file or variable of the person who runs the benchmark must not change what is measured.
    env = {name: value for name, value in os.environ.items() if not name.startswith("HEADWATER_")}
    with TemporaryFile() as log:
        began = time.perf_counter()
        arguments = command(port)
        process = subprocess.Popen(arguments, env=env, cwd=_ROOT, stdout=log, stderr=log)
        try:
            url = f"http://127.0.0.1:{port}"
            _wait_for_answer(process, arguments, url + probe, log)
            yield Server(url, process.pid, time.perf_counter() - began)
        finally:
            _stop(process)


def _wait_for_answer(process: subprocess.Popen[bytes], command: list[str], url: str, log: IO[bytes]) -> None:
    deadline = time.perf_counter() + _START_DEADLINE
    while time.perf_counter() < deadline and process.poll() is None:
        try:
            with urlopen(url, timeout=5) as answer:
                if answer.status == 200:
                    return
        except OSError:
            time.sleep(0.005)
    log.seek(0)
    output = log.read().decode(errors="replace")
    raise BenchError(f"{' '.join(command)} did not answer at {url}; it said:\n{output[-3000:]}")


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    try:
        process.wait(_STOP_DEADLINE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def free_port() -> int:
    """A loopback port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


# -- databases -------------------------------------------------------------------------------------


class Sqlite:
    """Databases that are files in a folder."""

    name = "SQLite"
    pid: int | None = None

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._made = 0

    def create(self) -> str:
        """The URL of a new, empty database."""
        self._made += 1
        return f"sqlite:///{self._directory / f'bench-{self._made}.db'}"

    def settle(self, url: str) -> None:
        """Nothing to wait for."""

    def size_mb(self, url: str) -> float:
        """The size of the file and what SQLite keeps beside it."""
        path = Path(url.removeprefix("sqlite:///"))
        return sum(p.stat().st_size for p in path.parent.glob(f"{path.name}*")) / 1e6


class Postgres:
    """Databases of a PostgreSQL server that runs for this benchmark, with the settings it comes with."""

    name = "PostgreSQL"

    def __init__(self, server_url: str, pid: int) -> None:
        self._server_url = server_url
        self.pid: int | None = pid

    def create(self) -> str:
        """The URL of a new, empty database."""
        return create_database(self._server_url)

    def settle(self, url: str) -> None:
        """Do at once what autovacuum does a minute or so after a load."""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("VACUUM ANALYZE")

    def size_mb(self, url: str) -> float:
        """What the server says."""
        with psycopg.connect(url, autocommit=True) as connection:
            row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        assert row is not None
        return float(row[0]) / 1e6


Databases = Sqlite | Postgres


@contextmanager
def postgres(directory: Path) -> Iterator[Postgres]:
    """A PostgreSQL server in a folder of its own."""
    with running_postgres(directory) as url:
        pid = int((directory / "data" / "postmaster.pid").read_text().split()[0])
        yield Postgres(url, pid)
