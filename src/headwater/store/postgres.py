"""Writing to PostgreSQL: a batch is one statement, and a transaction a handful of round trips."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Any

import psycopg

from headwater.store import arrays
from headwater.store.database import Database
from headwater.store.session import RUN_COLUMNS, Opened, Rows, Work

_LOCK = "SELECT value FROM meta WHERE key = 'writer' FOR UPDATE"
# Our statements are alike: planning them once is enough.
_PLANNING = "SET plan_cache_mode = force_generic_plan"


class PostgresSession:
    """Writers queue on the lock of `meta.writer`'s row, which tells whether another had a turn."""

    def __init__(self, database: Database) -> None:
        self.connection = database.engine.connect()
        driver = self.connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        driver.rollback()
        driver.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        driver.execute(_PLANNING)
        driver.execute("INSERT INTO meta (key, value) VALUES ('writer', '') ON CONFLICT DO NOTHING")
        driver.commit()
        arrays.register(driver)
        self._driver = driver
        self._cursor, self._runs, self._events = driver.cursor(), driver.cursor(), driver.cursor()
        self._name = uuid.uuid4().hex

    def begin(self, runs: Sequence[bytes] = (), events: Sequence[tuple[int, bytes]] = ()) -> Opened:
        # Only these short queries are pipelined: psycopg's pipeline waits for ever for an answer to what is still
        # in its own buffer, as the end of a large batch is when the server reads slowly.
        with self._driver.pipeline():
            self._cursor.execute(_LOCK)
            if runs:
                self._runs.execute(f"SELECT {RUN_COLUMNS} FROM run WHERE uuid = ANY(%s)", (arrays.Byteas(runs),))
            if events:
                times, hashes = zip(*events, strict=True)
                lookup = "SELECT hash, id FROM event WHERE event_time = ANY(%s) AND hash = ANY(%s)"
                self._events.execute(lookup, (arrays.BigInts(times), arrays.Byteas(hashes)))
        row = self._cursor.fetchone()
        others_wrote = row is None or row[0] != self._name
        if others_wrote:
            self._cursor.execute("UPDATE meta SET value = %s WHERE key = 'writer'", (self._name,))
        return Opened(others_wrote, self._runs.fetchall() if runs else [], self._events.fetchall() if events else [])

    def commit(self) -> None:
        self._driver.commit()

    def rollback(self) -> None:
        self._driver.rollback()

    def close(self) -> None:
        self.connection.invalidate()  # its settings are ours alone
        self.connection.close()

    def insert(self, work: Work) -> None:
        """All tables in one statement: the driver's cost is by the statement, and no two parts touch one table."""
        parts: list[str] = []
        columns: list[arrays.Array] = []
        for statement, rows in work:
            if rows:
                parts.append(f"{statement.table}_rows AS ({statement.postgresql})")
                values = zip(*rows, strict=True)
                columns += [array(column) for array, column in zip(statement.arrays, values, strict=True)]
        if parts:
            self._cursor.execute(f"WITH {', '.join(parts)} SELECT", columns)

    def index_search(self, rows: Sequence[tuple[int, str]]) -> None:
        """PostgreSQL keeps its own index."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> Rows:
        return self._cursor.execute(sql.replace("?", "%s"), parameters).fetchall()

    def rows_in(self, sql: str, keys: Sequence[Any]) -> Rows:
        return self._cursor.execute(f"{sql.removesuffix(' IN')} = ANY(%s)", (list(keys),)).fetchall()

    def execute(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._cursor.executemany(sql.replace("?", "%s"), rows)

    def delete_in(self, sql: str, keys: Sequence[Any]) -> None:
        self._cursor.execute(f"{sql.removesuffix(' IN')} = ANY(%s)", (list(keys),))
