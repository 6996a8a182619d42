"""The writer when the database, a sender or an event fails."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from typing import Any

import pytest

from headwater.store.database import Database, open_database
from headwater.store.writer import Overloaded, WriteFailed
from tests.assertions import assert_consistent, assert_edges, observable, the_run
from tests.events import facet, run_event
from tests.store.folding import empty, fold_batches
from tests.store.writers import count, execute, held, refuse, waiting, writing


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
    execute(shared_postgres, make)
    try:
        with writing(shared_postgres) as writer, pytest.raises(WriteFailed, match="too late"):
            asyncio.run(writer.write([EVERYTHING]))
    finally:
        execute(shared_postgres, ["DROP TRIGGER refusal ON run", "DROP FUNCTION refuse()"])
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
        execute(shared_postgres, [end])
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
