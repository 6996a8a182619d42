"""Writing to SQLite: statements go row by row to a library in our own process."""

from __future__ import annotations

import sqlite3
import uuid
from collections.abc import Iterable, Sequence
from typing import Any

from headwater.store.database import Database, DatabaseError
from headwater.store.session import RUN_COLUMNS, Opened, Rows, Work

_KEYS = 500  # in one IN list


class SqliteSession:
    """Writers queue at BEGIN IMMEDIATE; `meta.writer` tells whether another had a turn."""

    def __init__(self, database: Database) -> None:
        self.connection = database.engine.connect().execution_options(writes=True)
        driver = self.connection.connection.driver_connection
        assert isinstance(driver, sqlite3.Connection)
        driver.execute("PRAGMA cache_size=-16384")  # the writer comes back to the same pages
        self._driver = driver
        self._cursor = driver.cursor()
        self._name = uuid.uuid4().hex

    def begin(self, runs: Sequence[bytes] = (), events: Sequence[tuple[int, bytes]] = ()) -> Opened:
        self._control("BEGIN IMMEDIATE")
        row = self._cursor.execute("SELECT value FROM meta WHERE key = 'writer'").fetchone()
        others_wrote = row is None or row[0] != self._name
        if others_wrote:
            self._cursor.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('writer', ?)", (self._name,))
        found = self.rows_in(f"SELECT {RUN_COLUMNS} FROM run WHERE uuid IN", runs)
        lookup = "SELECT hash, id FROM event WHERE event_time = ? AND hash = ?"
        known = [row for key in events for row in self._cursor.execute(lookup, key)]
        return Opened(others_wrote, found, known)

    def commit(self) -> None:
        self._control("COMMIT")

    def rollback(self) -> None:
        if self._driver.in_transaction:
            self._cursor.execute("ROLLBACK")

    def close(self) -> None:
        self.connection.close()

    def insert(self, work: Work) -> None:
        for statement, rows in work:
            if rows:
                self._cursor.executemany(statement.sqlite, rows)

    def index_search(self, rows: Sequence[tuple[int, str]]) -> None:
        self._cursor.executemany("INSERT INTO search_trigram (rowid, folded) VALUES (?, ?)", rows)

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> Rows:
        return self._cursor.execute(sql, parameters).fetchall()

    def rows_in(self, sql: str, keys: Sequence[Any]) -> Rows:
        found: Rows = []
        for start in range(0, len(keys), _KEYS):
            part = keys[start : start + _KEYS]
            found += self._cursor.execute(f"{sql} ({', '.join('?' * len(part))})", part).fetchall()
        return found

    def execute(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        self._cursor.executemany(sql, rows)

    def delete_in(self, sql: str, keys: Sequence[Any]) -> None:
        self.rows_in(sql, keys)

    def _control(self, sql: str) -> None:
        try:
            self._cursor.execute(sql)
        except sqlite3.OperationalError as error:
            raise DatabaseError(
                f"SQLite refused {sql}: {error}; is the disk full, or is another program holding the database?"
            ) from None
