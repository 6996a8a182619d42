"""The writer: shared commits, back pressure, faults that harm only whom they must, and several writers at once."""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest
from sqlalchemy import func, insert, select, text

from headwater.openlineage.events import BadEvent, Event, decode_event
from headwater.settings import Settings, load_settings
from headwater.store import tables
from headwater.store.database import Database, open_database
from headwater.store.packing import unpack
from headwater.store.writer import Overloaded, WriteFailed, Writer
from tests.assertions import assert_consistent, assert_edges, observable, the_run
from tests.events import NOON, facet, moment, run_event
from tests.store.folding import empty, fold_batches

T = TypeVar("T")
SETTINGS = load_settings({}, {}, Path("/"))
FIXTURES = Path(__file__).parent.parent / "fixtures" / "events"


@contextmanager
def writing(database: Database, settings: Settings = SETTINGS) -> Iterator[Writer]:
    """A writer that is stopped at the end, whatever happens."""
    writer = Writer(database, settings, clock=lambda: NOON)
    writer.start()
    try:
        yield writer
    finally:
        writer.close()


def count(database: Database, table: Any = tables.event) -> int:
    with database.read() as connection:
        return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


async def held(writer: Writer, then: Callable[[], Awaitable[T]]) -> T:
    """Run `then` while the writer is busy; it goes on once `then` has had its turn."""
    busy, go_on = threading.Event(), threading.Event()

    def hold() -> None:
        busy.set()
        assert go_on.wait(30)

    holding = asyncio.ensure_future(writer.call(hold))
    await asyncio.to_thread(busy.wait, 30)
    try:
        return await then()
    finally:
        go_on.set()
        await holding


async def waiting(*coroutines: Awaitable[Any]) -> list[asyncio.Future[Any]]:
    """Start each and let it come to rest."""
    tasks: list[asyncio.Future[Any]] = [asyncio.ensure_future(coroutine) for coroutine in coroutines]
    for _ in range(3):
        await asyncio.sleep(0)
    return tasks


def refuse(database: Database, table: str, when: str = "TRUE") -> Callable[[], None]:
    """Make the database itself refuse new rows of a table; returns how to make it stop."""
    if database.dialect == "sqlite":
        make = [
            f"CREATE TRIGGER refusal BEFORE INSERT ON {table} WHEN {when} BEGIN SELECT RAISE(ABORT, 'no room'); END"
        ]
        remove = ["DROP TRIGGER refusal"]
    else:
        make = [
            "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no room'; END $$",
            f"CREATE TRIGGER refusal BEFORE INSERT ON {table} FOR EACH ROW WHEN ({when}) EXECUTE FUNCTION refuse()",
        ]
        remove = [f"DROP TRIGGER refusal ON {table}", "DROP FUNCTION refuse()"]
    _run(database, make)
    return lambda: _run(database, remove)


def _run(database: Database, statements: Sequence[str]) -> None:
    with database.engine.connect().execution_options(writes=True) as connection, connection.begin():
        for statement in statements:
            connection.execute(text(statement))


# -- commits ---------------------------------------------------------------------------------------


def test_a_write_that_returned_is_stored(database: Database) -> None:
    async def main() -> None:
        for run in range(1, 4):
            await writer.write([run_event("START", run)])
            assert count(database) == run

    with writing(database) as writer:
        asyncio.run(main())


def test_concurrent_writes_share_commits(database: Database) -> None:
    async def main() -> None:
        await asyncio.gather(*(writer.write([run_event("START", run)]) for run in range(1, 201)))

    with writing(database) as writer:
        asyncio.run(main())
        assert count(database) == writer.counters["events"] == 200
        assert writer.counters["commits"] < 40
        assert writer.depth == 0


def test_senders_in_many_threads_are_all_answered(database: Database) -> None:
    def send(thread: int) -> None:
        async def main() -> None:
            for n in range(10):
                await writer.write([run_event("START", 1 + thread * 100 + n)])

        asyncio.run(main())

    with writing(database) as writer:
        threads = [threading.Thread(target=send, args=(n,)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert count(database) == 60
        assert writer.depth == 0


def test_nothing_to_write_is_written_at_once(database: Database) -> None:
    with writing(database) as writer:
        asyncio.run(writer.write([]))
    assert count(database) == 0


def test_what_was_counted_is_told(database: Database) -> None:
    late = run_event("START", 1, at=-SETTINGS.late_after - 1)
    events = [run_event("COMPLETE", 1, at=5), run_event("START", 1, at=1, facets={"odd": {}}), late, late]
    with writing(database) as writer:
        asyncio.run(writer.write(events))
        counters = {key: value for key, value in writer.counters.items() if value}
    assert counters.pop("commits") == 1
    assert counters.pop("events") == 3
    assert sorted(counters.values()) == [1, 1, 1, 2]  # duplicate, late, invalid facet; START and late out of order
    with database.read() as connection:
        kinds = [row.kind for row in connection.execute(select(tables.diagnostic))]
    assert sorted(kinds) == ["duplicate", "invalid-facet", "late", "out-of-order", "out-of-order"]


def test_an_event_is_late_only_past_the_limit(database: Database) -> None:
    on_time, late = (run_event("START", 1, at=-SETTINGS.late_after - past) for past in (0, 1))
    with writing(database) as writer:
        asyncio.run(writer.write([on_time]))
        assert count(database, tables.diagnostic) == 0
        asyncio.run(writer.write([late]))
        assert count(database, tables.diagnostic) >= 1


# -- back pressure ---------------------------------------------------------------------------------


def test_a_full_queue_is_told_and_loses_nothing_that_was_taken(database: Database) -> None:
    async def main() -> None:
        async def overfill() -> list[asyncio.Future[Any]]:
            taken = await waiting(*(writer.write([run_event("START", run)]) for run in range(1, 6)))
            with pytest.raises(Overloaded) as caught:
                await writer.write([run_event("START", 6)])
            assert caught.value.retry_after >= 1
            assert "5 events" in str(caught.value)
            return taken

        await asyncio.gather(*await held(writer, overfill))
        await writer.write([run_event("START", 7)])

    with writing(database, replace(SETTINGS, queue=5)) as writer:
        asyncio.run(main())
        assert writer.depth == 0
    assert {run["started"] for run in observable(database)["runs"].values()} == {moment(0)}
    assert count(database) == 6


def test_a_batch_larger_than_the_queue_is_taken_when_nothing_waits(database: Database) -> None:
    with writing(database, replace(SETTINGS, queue=5)) as writer:
        asyncio.run(writer.write([run_event("START", run) for run in range(1, 21)]))
    assert count(database) == 20


def test_the_depth_comes_back_to_nothing_however_threads_take_turns(database: Database) -> None:
    async def main() -> None:
        for start in range(0, 1_500, 50):
            await asyncio.gather(*(writer.write([run_event("START", 1 + start + n)]) for n in range(50)))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with writing(database) as writer:
            asyncio.run(main())
            assert writer.depth == 0
    finally:
        sys.setswitchinterval(interval)


# -- faults ----------------------------------------------------------------------------------------


def test_one_poisonous_event_does_not_fail_its_neighbours(database: Database) -> None:
    async def main() -> list[Any]:
        async def send() -> list[asyncio.Future[Any]]:
            names = ["a", "b", "poison", "c", "d"]
            return await waiting(
                *(writer.write([run_event("START", 1 + n, job, inputs=["x"])]) for n, job in enumerate(names))
            )

        return await asyncio.gather(*await held(writer, send), return_exceptions=True)

    heal = refuse(database, "job", "NEW.name = 'poison'")
    try:
        with writing(database) as writer:
            answers = asyncio.run(main())
            assert writer.depth == 0
            asyncio.run(writer.write([run_event("START", 9, "e", inputs=["x"])]))
    finally:
        heal()
    assert [type(answer) for answer in answers] == [type(None), type(None), WriteFailed, type(None), type(None)]
    assert "no room" in str(answers[2])
    assert_edges(database, *(f"x -> {job}" for job in "abcde"))
    assert_consistent(database)


EVERYTHING = run_event(
    "COMPLETE",
    1,
    inputs=["orders"],
    outputs=[
        {
            "namespace": "db",
            "name": "stats",
            "facets": {
                "schema": facet(fields=[{"name": "total"}]),
                "long": facet(text="x" * 1_000),
                "symlinks": facet(identifiers=[{"namespace": "db", "name": "alias", "type": "TABLE"}]),
                "columnLineage": facet(
                    fields={"total": {"inputFields": [{"namespace": "db", "name": "orders", "field": "price"}]}}
                ),
                "broken": {},
            },
        }
    ],
)
WRITTEN = [
    "event", "diagnostic", "namespace", "dataset", "symlink", "run", "io", "version", "schema", "dataset_schema",
    "field", "mapping", "mapping_edge", "claim", "facet", "blob", "search", "job", "edge",
]  # fmt: skip


@pytest.mark.parametrize("table", WRITTEN)
def test_whatever_the_database_refuses_the_sender_hears_and_nothing_is_half_written(
    database: Database, table: str
) -> None:
    heal = refuse(database, table)
    try:
        with writing(database) as writer:
            with pytest.raises(WriteFailed, match="no room"):
                asyncio.run(writer.write([EVERYTHING]))
            assert not any(observable(database).values())
            heal, healed = (lambda: None), heal
            healed()
            asyncio.run(writer.write([EVERYTHING]))
    finally:
        heal()
    after_the_fault = observable(database)
    empty(database)
    fold_batches(database, [[EVERYTHING]])
    assert after_the_fault == observable(database)


@pytest.mark.postgres
def test_a_commit_that_fails_is_no_success(shared_postgres: Database) -> None:
    """PostgreSQL may refuse as late as at COMMIT."""
    empty(shared_postgres)
    make = [
        "CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'too late'; END $$",
        "CREATE CONSTRAINT TRIGGER refusal AFTER INSERT ON run DEFERRABLE INITIALLY DEFERRED "
        "FOR EACH ROW EXECUTE FUNCTION refuse()",
    ]
    _run(shared_postgres, make)
    try:
        with writing(shared_postgres) as writer, pytest.raises(WriteFailed, match="too late"):
            asyncio.run(writer.write([EVERYTHING]))
    finally:
        _run(shared_postgres, ["DROP TRIGGER refusal ON run", "DROP FUNCTION refuse()"])
    assert count(shared_postgres) == 0


@pytest.mark.postgres
def test_a_lost_connection_is_made_again(shared_postgres: Database) -> None:
    empty(shared_postgres)
    end = (
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )

    async def main() -> None:
        await writer.write([run_event("START", 1)])
        _run(shared_postgres, [end])
        for _ in range(10):
            try:
                await writer.write([run_event("START", 2)])
            except (WriteFailed, Overloaded):
                await asyncio.sleep(0.05)
            else:
                return
        pytest.fail("the writer never came back")

    with writing(shared_postgres) as writer:
        asyncio.run(main())
    assert count(shared_postgres) == 2


def test_a_full_disk_is_told_and_survived(sqlite_url: str) -> None:
    def pages(limit: str) -> Callable[[Any], Any]:
        return lambda connection: connection.exec_driver_sql(f"PRAGMA max_page_count = {limit}").scalar()

    database = open_database(sqlite_url)
    noise = random.Random(1).randbytes(400_000).hex()

    async def main() -> None:
        await writer.write([run_event("START", 1)])
        now = await writer.run(lambda connection: connection.exec_driver_sql("PRAGMA page_count").scalar_one())
        await writer.run(pages(str(now + 10)))
        with pytest.raises(WriteFailed, match="full"):
            await writer.write([run_event("START", 2, facets={"big": facet(noise=noise)})])
        assert count(database) == 1
        await writer.write([run_event("COMPLETE", 1, at=1)])
        await writer.run(pages("1073741823"))
        await writer.write([run_event("START", 2, facets={"big": facet(noise=noise)})])

    with writing(database) as writer:
        asyncio.run(main())
    assert count(database) == 3
    assert the_run(database)["state"] == "COMPLETED"
    database.close()


def test_a_sender_that_gives_up_harms_nobody(database: Database) -> None:
    async def main() -> None:
        async def send() -> list[asyncio.Future[Any]]:
            tasks = await waiting(*(writer.write([run_event("START", run)]) for run in (1, 2, 3)))
            tasks[1].cancel()
            return tasks

        answers = await asyncio.gather(*await held(writer, send), return_exceptions=True)
        assert [type(answer) for answer in answers] == [type(None), asyncio.CancelledError, type(None)]

    with writing(database) as writer:
        asyncio.run(main())
        assert writer.depth == 0
    assert count(database) == 3


# -- other writes ----------------------------------------------------------------------------------


def test_bad_input_is_kept_as_it_was_sent(database: Database) -> None:
    bodies = [b'{"half":', b"\xff\x00 not even text", b"x" * 100_000]
    errors = []
    for body in bodies:
        with pytest.raises(BadEvent) as caught:
            decode_event(body)
        errors.append(caught.value)
    with writing(database) as writer:
        asyncio.run(writer.reject(errors, bodies))
        assert writer.counters["rejected"] == 3
    with database.read() as connection:
        rows = list(connection.execute(select(tables.diagnostic).order_by(tables.diagnostic.c.id)))
    assert [(row.kind, unpack(row.body), row.at) for row in rows] == [("rejected", body, NOON) for body in bodies]
    assert [row.message for row in rows] == [str(error) for error in errors]


def test_a_command_has_a_transaction_of_its_own(database: Database) -> None:
    def make(connection: Any) -> str:
        connection.execute(insert(tables.tag).values(name="pii", updated_at=1))
        return "made"

    def fail(connection: Any) -> None:
        connection.execute(insert(tables.tag).values(name="lost", updated_at=1))
        raise ValueError("no")

    async def main() -> None:
        await writer.write([run_event("START", 1)])
        assert await writer.run(make) == "made"
        with pytest.raises((ValueError, WriteFailed), match="no"):
            await writer.run(fail)
        await writer.write([run_event("COMPLETE", 1, at=1)])

    with writing(database) as writer:
        asyncio.run(main())
    with database.read() as connection:
        assert [row.name for row in connection.execute(select(tables.tag))] == ["pii"]
    assert the_run(database)["state"] == "COMPLETED"


def test_a_namespace_can_be_made_before_anything_is_in_it(database: Database) -> None:
    async def main() -> None:
        await writer.namespace("etl", "me", "first")
        await writer.write([run_event("START", 1)])
        await writer.namespace("etl", "you", "second")

    with writing(database) as writer:
        asyncio.run(main())
    with database.read() as connection:
        (row,) = connection.execute(select(tables.namespace))
    assert (row.name, row.owner, row.description) == ("etl", "you", "second")


def test_listeners_hear_the_last_event_of_each_commit(database: Database) -> None:
    heard: list[int] = []
    with writing(database) as writer:
        stop = writer.on_commit(heard.append)
        asyncio.run(writer.write([run_event("START", 1), run_event("START", 2)]))
        asyncio.run(writer.write([run_event("START", 1)]))  # a duplicate is no news
        asyncio.run(writer.write([run_event("START", 3)]))
        stop()
        asyncio.run(writer.write([run_event("START", 4)]))
    assert heard == [2, 3]


def test_a_listener_that_fails_does_not_fail_the_write(database: Database) -> None:
    def fail(_: int) -> None:
        raise RuntimeError("deaf")

    heard: list[int] = []
    with writing(database) as writer:
        writer.on_commit(fail)
        writer.on_commit(heard.append)
        asyncio.run(writer.write([run_event("START", 1)]))
        asyncio.run(writer.write([run_event("START", 2)]))
    assert heard == [1, 2]
    assert count(database) == 2


# -- closing ---------------------------------------------------------------------------------------


def test_closing_writes_what_waits_first(database: Database) -> None:
    async def main() -> None:
        async def send() -> list[asyncio.Future[Any]]:
            tasks = await waiting(*(writer.write([run_event("START", run)]) for run in range(1, 31)))
            closing.start()
            return tasks

        await asyncio.gather(*await held(writer, send))

    writer = Writer(database, SETTINGS)
    closing = threading.Thread(target=writer.close)
    writer.start()
    asyncio.run(main())
    closing.join(30)
    assert not closing.is_alive()
    assert not writer.alive
    assert count(database) == 30


def test_a_closed_writer_says_so(database: Database) -> None:
    with writing(database) as writer:
        pass
    assert not writer.alive
    with pytest.raises(Overloaded):
        asyncio.run(writer.write([run_event("START", 1)]))
    writer.close()


def test_a_writer_that_was_never_started_can_be_closed(database: Database) -> None:
    Writer(database, SETTINGS).close()


# -- several writers -------------------------------------------------------------------------------


def real_events() -> list[Event]:
    names = ("lab-supplier-stats-batch-s3", "spark-agent-4.1.1-stream", "openlineage-compatibility-tests")
    return [decode_event(line) for name in names for line in (FIXTURES / f"{name}.jsonl").read_bytes().splitlines()]


def test_two_writers_of_one_database_take_turns_and_agree(database: Database) -> None:
    events = real_events()
    choice = random.Random(3)

    async def send(writer: Writer, mine: list[Event]) -> None:
        choice.shuffle(mine)
        for start in range(0, len(mine), 4):
            await writer.write(mine[start : start + 4])

    async def main(one: Writer, two: Writer) -> None:
        shared = events[::5]  # both send these
        await asyncio.gather(send(one, [*events[::2], *shared]), send(two, [*events[1::2], *shared]))

    with writing(database) as one, writing(database) as two:
        asyncio.run(main(one, two))
    assert_consistent(database)
    together = observable(database)
    empty(database)
    fold_batches(database, [events])
    assert together == observable(database)
