"""One write transaction, in either database's own driver: the hot path has no layer above it."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

import psycopg
from sqlalchemy import Connection

from headwater.store.database import Database, DatabaseError
from headwater.store.statements import Statement

Rows = list[tuple[Any, ...]]


class Session(Protocol):
    """A connection that only one writer thread uses."""

    connection: Connection  # the same transaction, for statements that are not hot

    def begin(self) -> bool:
        """Start a transaction that no other writer shares; True if another wrote since our last."""

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def close(self) -> None: ...

    def insert(self, work: Iterable[tuple[Statement, Sequence[tuple[Any, ...]]]]) -> None:
        """Insert and merge rows, whose keys differ from one another, statement by statement."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> Rows:
        """Rows of a query written with `?` for each parameter."""

    def rows_in(self, sql: str, keys: Sequence[Any]) -> Rows:
        """Rows of a query that ends in `column IN`, for any of `keys`."""

    def known_events(self, keys: Sequence[tuple[int, bytes]]) -> Rows:
        """Hash and id of the stored events among these times and hashes."""

    def execute(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement written with `?` once a row."""

    def delete_in(self, sql: str, keys: Sequence[Any]) -> None:
        """Run a DELETE that ends in `column IN`, for all of `keys`."""

    def index_search(self, rows: Sequence[tuple[int, str]]) -> None:
        """Make new rows of the search table findable by any part."""


def open_session(database: Database) -> Session:
    """A session of its own for a writer."""
    return _Sqlite(database) if database.dialect == "sqlite" else _Postgres(database)


class _Base:
    def __init__(self, database: Database) -> None:
        self.connection = database.engine.connect().execution_options(writes=True)
        self._name = uuid.uuid4().hex

    def close(self) -> None:
        self.connection.close()


class _Sqlite(_Base):
    """Writers queue at BEGIN IMMEDIATE; `meta.writer` tells whether another had a turn."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        driver = self.connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        self._driver = driver
        self._cursor = driver.cursor()

    def begin(self) -> bool:
        self._execute("BEGIN IMMEDIATE")
        row = self._cursor.execute("SELECT value FROM meta WHERE key = 'writer'").fetchone()
        if row is not None and row[0] == self._name:
            return False
        self._cursor.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('writer', ?)", (self._name,))
        return True

    def _execute(self, sql: str) -> None:
        try:
            self._cursor.execute(sql)
        except sqlite3.OperationalError as error:
            raise DatabaseError(f"SQLite refused {sql}: {error}; is another program holding the database?") from None

    def commit(self) -> None:
        self._execute("COMMIT")

    def rollback(self) -> None:
        if self._driver.in_transaction:
            self._cursor.execute("ROLLBACK")

    def insert(self, work: Iterable[tuple[Statement, Sequence[tuple[Any, ...]]]]) -> None:
        for statement, rows in work:
            if rows:
                self._cursor.executemany(statement.sqlite, rows)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> Rows:
        return self._cursor.execute(sql, parameters).fetchall()

    def rows_in(self, sql: str, keys: Sequence[Any]) -> Rows:
        found: Rows = []
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            found += self._cursor.execute(f"{sql} ({', '.join('?' * len(part))})", part).fetchall()
        return found

    def delete_in(self, sql: str, keys: Sequence[Any]) -> None:
        self.rows_in(sql, keys)

    def known_events(self, keys: Sequence[tuple[int, bytes]]) -> Rows:
        lookup = "SELECT hash, id FROM event WHERE event_time = ? AND hash = ?"
        return [row for key in keys for row in self._cursor.execute(lookup, key)]

    def execute(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._cursor.executemany(sql, rows)

    def index_search(self, rows: Sequence[tuple[int, str]]) -> None:
        self._cursor.executemany("INSERT INTO search_trigram (rowid, folded) VALUES (?, ?)", rows)


class _Postgres(_Base):
    """Writers queue on the lock of `meta.writer`'s row; a pipeline sends a batch without waiting for answers."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        driver = self.connection.connection.driver_connection
        assert isinstance(driver, psycopg.Connection)
        driver.rollback()
        driver.isolation_level = psycopg.IsolationLevel.READ_COMMITTED
        self._driver = driver
        self._cursor = driver.cursor()

    def begin(self) -> bool:
        lock = "SELECT value FROM meta WHERE key = 'writer' FOR UPDATE"
        row = self._cursor.execute(lock).fetchone()
        if row is None:
            self._cursor.execute("INSERT INTO meta (key, value) VALUES ('writer', '') ON CONFLICT DO NOTHING")
            row = self._cursor.execute(lock).fetchone()
        if row is not None and row[0] == self._name:
            return False
        self._cursor.execute("UPDATE meta SET value = %s WHERE key = 'writer'", (self._name,))
        return True

    def commit(self) -> None:
        self._driver.commit()

    def rollback(self) -> None:
        self._driver.rollback()

    def insert(self, work: Iterable[tuple[Statement, Sequence[tuple[Any, ...]]]]) -> None:
        with self._driver.pipeline():
            for statement, rows in work:
                if rows:
                    self._cursor.execute(statement.postgresql, [list(column) for column in zip(*rows, strict=True)])

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> Rows:
        return self._cursor.execute(sql.replace("?", "%s"), parameters).fetchall()

    def rows_in(self, sql: str, keys: Sequence[Any]) -> Rows:
        return self._cursor.execute(f"{sql.removesuffix(' IN')} = ANY(%s)", (list(keys),)).fetchall()

    def delete_in(self, sql: str, keys: Sequence[Any]) -> None:
        self._cursor.execute(f"{sql.removesuffix(' IN')} = ANY(%s)", (list(keys),))

    def known_events(self, keys: Sequence[tuple[int, bytes]]) -> Rows:
        lookup = "SELECT hash, id FROM event WHERE event_time = ANY(%s) AND hash = ANY(%s)"
        return self._cursor.execute(lookup, ([time for time, _ in keys], [hash for _, hash in keys])).fetchall()

    def execute(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._cursor.executemany(sql.replace("?", "%s"), rows)

    def index_search(self, rows: Sequence[tuple[int, str]]) -> None:
        """PostgreSQL keeps its own index."""
