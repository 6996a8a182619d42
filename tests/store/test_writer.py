"""The writer: shared commits, back pressure, faults that harm only whom they must, and several writers at once."""

from __future__ import annotations

import asyncio
import random
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import insert, select

from headwater.openlineage.events import BadEvent, Event, decode_event
from headwater.store import tables
from headwater.store.database import Database
from headwater.store.packing import unpack
from headwater.store.writer import Overloaded, WriteFailed, Writer
from tests.assertions import assert_consistent, observable, the_run
from tests.events import NOON, moment, run_event
from tests.store.folding import empty, fold_batches
from tests.store.writers import SETTINGS, count, held, waiting, writing

FIXTURES = Path(__file__).parent.parent / "fixtures" / "events"


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
