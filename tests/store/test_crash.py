"""What was acknowledged survives a process that is killed, and what was not leaves nothing half done."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest
from sqlalchemy import select, text

from headwater.openlineage.events import Event, decode_event
from headwater.store import tables
from headwater.store.database import Database, open_database
from headwater.store.packing import unpack
from tests.assertions import assert_consistent, observable
from tests.store.crashing import story
from tests.store.folding import empty, fold_batches

ROOT = Path(__file__).parents[2]


@contextmanager
def process(module: str, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """A Python process of ours, killed at the end if it still runs."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env={**os.environ}) as started:
        try:
            yield started
        finally:
            started.kill()


def acknowledged_until_killed(url: str, seed: int, after: int) -> set[int]:
    """Let a process write, kill it without warning after so many answers; which events it had answered."""
    with process("tests.store.crashing", url, str(seed)) as writing:
        assert writing.stdout is not None
        answered = [int(writing.stdout.readline()) for _ in range(after)]
        writing.send_signal(signal.SIGKILL)
        answered += [int(line) for line in writing.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        assert writing.wait(30) == -signal.SIGKILL
    return set(answered)


def stored(database: Database) -> list[Event]:
    with database.read() as connection:
        rows = connection.execute(select(tables.event.c.body).order_by(tables.event.c.id))
        return [decode_event(unpack(row.body)) for row in rows]


@pytest.mark.parametrize(("seed", "after"), [(1, 20), (2, 150)])
def test_a_killed_process_loses_nothing_it_acknowledged(
    database_url: str, sqlite: Database, seed: int, after: int
) -> None:
    answered = acknowledged_until_killed(database_url, seed, after)
    events = story(seed)
    killed = open_database(database_url)
    try:
        kept = stored(killed)
        assert {events[index].body for index in answered} <= {event.body for event in kept}
        assert_consistent(killed)
        fold_batches(sqlite, [kept])
        assert observable(killed) == observable(sqlite), "what is stored is not the fold of the stored events"
        if killed.dialect == "sqlite":
            with killed.read() as connection:
                assert connection.execute(text("PRAGMA integrity_check")).scalar() == "ok"
                connection.execute(text("INSERT INTO search_trigram (search_trigram) VALUES ('integrity-check')"))
        rest = events[: len(kept) + 50]
        fold_batches(killed, [rest])
        empty(sqlite)
        fold_batches(sqlite, [[*kept, *rest]])
        assert observable(killed) == observable(sqlite), "a killed process must not hinder the next"
    finally:
        killed.close()


def test_processes_that_write_at_once_agree(database_url: str, sqlite: Database) -> None:
    open_database(database_url).close()
    with (
        process("tests.store.crashing", database_url, "5") as one,
        process("tests.store.crashing", database_url, "6") as two,
    ):
        for writing in (one, two):
            assert writing.stdout is not None
            for _ in range(60):
                assert writing.stdout.readline()
    both = open_database(database_url)
    try:
        assert_consistent(both)
        fold_batches(sqlite, [stored(both)])
        assert observable(both) == observable(sqlite)
    finally:
        both.close()


def test_processes_that_open_a_new_database_at_once_all_succeed(database_url: str) -> None:
    program = """
        import sys
        from headwater.store.database import open_database
        print("ready", flush=True)
        sys.stdin.read()
        open_database(sys.argv[1]).close()
    """
    command = [sys.executable, "-c", textwrap.dedent(program), database_url]
    with ExitStack() as stack:
        opening = [
            stack.enter_context(
                subprocess.Popen(
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
                )
            )
            for _ in range(3)
        ]
        for each in opening:
            assert each.stdout is not None
            assert each.stdout.readline() == "ready\n"
        for each in opening:
            assert each.stdin is not None
            each.stdin.close()
        errors = [each.stderr.read() for each in opening if each.stderr is not None]
    assert errors == ["", "", ""]


def test_an_event_of_20_mb_is_written_within_bounded_memory(database_url: str) -> None:
    open_database(database_url).close()
    program = """
        import asyncio, random, resource, sys
        from pathlib import Path
        from headwater.openlineage.events import decode_event
        from headwater.settings import load_settings
        from headwater.store.database import open_database
        from headwater.store.writer import Writer

        def peak():
            return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

        def body(run, noise):
            head = b'{"eventTime":"2026-01-31T12:00:00Z","eventType":"START","run":{"runId":"%d"},"job":{"namespace":'
            facet = b'{"_producer":"p","_schemaURL":"s","noise":"' + noise + b'"}'
            tail = b'"etl","name":"load"},"outputs":[{"namespace":"db","name":"x","facets":{"big":'
            return head % run + tail + facet + b"}}]}"

        database = open_database(sys.argv[1])
        writer = Writer(database, load_settings({}, {}, Path("/")))
        writer.start()
        asyncio.run(writer.write([decode_event(body(1, b"small"))]))
        large = body(2, random.Random(1).randbytes(10_000_000).hex().encode())
        before = peak()
        asyncio.run(writer.write([decode_event(large)]))
        print((peak() - before) / len(large))
        writer.close()
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program), database_url], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 6
    database = open_database(database_url)
    assert max(len(event.body) for event in stored(database)) > 20_000_000
    database.close()
