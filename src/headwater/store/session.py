"""One write transaction, in either database's own driver: the hot path has no layer above it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from sqlalchemy import Connection

from headwater.store.database import Database
from headwater.store.statements import Statement

Rows = list[tuple[Any, ...]]
Work = Iterable[tuple[Statement, Sequence[tuple[Any, ...]]]]

RUN_COLUMNS = (
    "id, uuid, external_id, job_id, job_at, declared, state, started_at, updated_at, ended_at, named_at, "
    "parent_id, parent_at, root_id, lost_at"
)


class Opened(NamedTuple):
    """A transaction that has begun, with what was looked up on the way."""

    others_wrote: bool  # since our last: nothing in mind can be trusted
    runs: Rows  # RUN_COLUMNS of the runs that were asked for
    events: Rows  # hash and id of the stored events that were asked for


class Session(Protocol):
    """A connection that only one writer thread uses."""

    connection: Connection  # for statements that are not hot; never inside a transaction begun below

    def begin(self, runs: Sequence[bytes] = (), events: Sequence[tuple[int, bytes]] = ()) -> Opened:
        """Start a transaction that no other writer shares; look up runs by UUID, events by time and hash."""

    def commit(self) -> None: ...

    def rollback(self) -> None: ...

    def close(self) -> None: ...

    def insert(self, work: Work) -> None:
        """Insert and merge rows, whose keys differ from one another, statement by statement."""

    def index_search(self, rows: Sequence[tuple[int, str]]) -> None:
        """Make new rows of the search table findable by any part."""

    def rows(self, sql: str, parameters: Sequence[Any] = ()) -> Rows:
        """Rows of a query written with `?` for each parameter."""

    def rows_in(self, sql: str, keys: Sequence[Any]) -> Rows:
        """Rows of a query that ends in `column IN`, for any of `keys`."""

    def execute(self, sql: str, rows: Iterable[tuple[Any, ...]]) -> None:
        """Run a statement written with `?` once a row."""

    def delete_in(self, sql: str, keys: Sequence[Any]) -> None:
        """Run a DELETE that ends in `column IN`, for all of `keys`."""


def open_session(database: Database) -> Session:
    """A session of its own for a writer."""
    if database.dialect == "sqlite":
        from headwater.store.sqlite import SqliteSession

        return SqliteSession(database)
    from headwater.store.postgres import PostgresSession

    return PostgresSession(database)
