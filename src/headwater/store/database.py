"""Opening a database: SQLite in one file by default, PostgreSQL for a team, migrated before first use."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy
from sqlalchemy import Connection, Engine, event, inspect, make_url, text
from sqlalchemy.engine import URL
from sqlalchemy.exc import SQLAlchemyError

from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    import psycopg
    from alembic.config import Config

HEAD = "0004"  # the newest migration; a test compares
_MIGRATIONS = Path(__file__).parent / "migrations"
_MIGRATION_LOCK = 0x68656164  # any number that no other program on the same database is likely to lock


class DatabaseError(HeadwaterError):
    """A database that cannot be opened or used as it is."""


class Database:
    """An open database. Many threads read; only a Writer writes."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.dialect = engine.dialect.name
        self.url = engine.url.render_as_string(hide_password=True)

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """A pooled connection whose statements see one moment in time."""
        with self.engine.connect() as connection:
            yield connection

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()


def open_database(url: str) -> Database:
    """The database at `url`, brought up to this release's schema; refuses one that is newer."""
    parsed = _parse(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = _engine(parsed)
    try:
        _migrate(engine)
    except DatabaseError:
        engine.dispose()
        raise
    except SQLAlchemyError as error:
        engine.dispose()
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise DatabaseError(
            f"cannot open database {parsed.render_as_string(hide_password=True)}: {reason}; "
            "check the URL given with --database or HEADWATER_DATABASE"
        ) from None
    return Database(engine)


def _parse(url: str) -> URL:
    expected = "expected sqlite:///path/to/file.db or postgresql://user:password@host:port/name"
    try:
        parsed = make_url(url)
    except SQLAlchemyError:
        raise DatabaseError(f"database {url!r} is not a URL; {expected}") from None
    backend = parsed.get_backend_name()
    if backend in ("postgresql", "postgres"):
        return parsed.set(drivername="postgresql+psycopg")
    if backend == "sqlite" and parsed.database not in (None, "", ":memory:"):
        return parsed.set(drivername="sqlite+pysqlite")
    raise DatabaseError(f"database {parsed.render_as_string(hide_password=True)!r} cannot be used; {expected}")


def _engine(url: URL) -> Engine:
    if url.get_backend_name() == "sqlite":
        engine = sqlalchemy.create_engine(url, connect_args={"cached_statements": 256, "timeout": 30})
        event.listen(engine, "connect", _tune_sqlite)
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    engine = sqlalchemy.create_engine(
        url, pool_pre_ping=True, isolation_level="REPEATABLE READ", connect_args={"connect_timeout": 10}
    )
    event.listen(engine, "connect", _tune_postgresql)
    return engine


def _tune_postgresql(connection: psycopg.Connection[Any], _record: Any) -> None:
    # Everything here is asked by key and few rows come back. Left alone, the planner reads whole tables for a page
    # of a list, and compiles queries for longer than they run.
    for setting in ("jit", "enable_seqscan", "enable_hashjoin", "enable_mergejoin"):
        connection.execute(f"SET {setting} = off")
    connection.commit()


def _begin_sqlite(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE" if connection.get_execution_options().get("writes") else "BEGIN")


def _tune_sqlite(connection: sqlite3.Connection, _record: Any) -> None:
    # The driver's own BEGIN skips reads and schema changes; ours (above) covers them.
    connection.isolation_level = None
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",  # an answered event survives a power cut, not only kill -9
        "cache_size=-4096",  # of each connection; the system's own cache is shared by all
        "mmap_size=33554432",
        "temp_store=MEMORY",
        "wal_autocheckpoint=4000",  # 16 MB: pages written again and again are copied back once
    ):
        connection.execute(f"PRAGMA {pragma}")


# -- migrations ------------------------------------------------------------------------------------


def migration_config(connection: Connection) -> Config:
    """Alembic's view of our migrations, bound to `connection`."""
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(_MIGRATIONS))
    config.attributes["connection"] = connection
    return config


def _migrate(engine: Engine) -> None:
    """Bring the schema up to date in one transaction; processes that open a database at once take turns."""
    with engine.connect().execution_options(writes=True) as connection:
        if engine.dialect.name == "postgresql":
            connection = connection.execution_options(isolation_level="READ COMMITTED")
        with connection.begin():
            if engine.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _MIGRATION_LOCK})
            _upgrade(connection)


def _upgrade(connection: Connection) -> None:
    current = _revision(connection)
    if current == HEAD:
        return
    # Slow to import, and rarely needed.
    from alembic import command
    from alembic.script import ScriptDirectory

    config = migration_config(connection)
    known = {revision.revision for revision in ScriptDirectory.from_config(config).walk_revisions()}
    if current is not None and current not in known:
        raise DatabaseError(
            f"database {connection.engine.url.render_as_string(hide_password=True)} has schema {current}, which is "
            f"newer than this release knows (latest: {HEAD}); install the Headwater that wrote it, or a later one"
        )
    command.upgrade(config, "head")


def _revision(connection: Connection) -> str | None:
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
