"""Writers on a database, and what a database can be made to refuse them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from sqlalchemy import func, select, text

from headwater.settings import Settings, load_settings
from headwater.store import tables
from headwater.store.database import Database
from headwater.store.writer import Writer
from tests.events import NOON

T = TypeVar("T")
SETTINGS = load_settings({}, {}, Path("/"))


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
    execute(database, make)
    return lambda: execute(database, remove)


def execute(database: Database, statements: Sequence[str]) -> None:
    """Run statements."""
    with database.engine.connect().execution_options(writes=True) as connection, connection.begin():
        for statement in statements:
            connection.execute(text(statement))
