"""Opening a database: its schema, its refusals, and what a reader sees."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import func, inspect, select, text

import headwater.store
from headwater.store import tables
from headwater.store.database import HEAD, Database, DatabaseError, open_database
from headwater.store.read.search import find
from tests.assertions import observable
from tests.events import run_event
from tests.store.folding import fold


def test_migrations_make_exactly_the_tables_that_the_code_uses(database_url: str) -> None:
    def ours(_object: Any, name: str | None, kind: str, _reflected: bool, _compare_to: Any) -> bool:
        return not (name or "").startswith("search_trigram")  # an index that each database has in its own way

    database = open_database(database_url)
    with database.read() as connection:
        context = MigrationContext.configure(
            connection, opts={"compare_type": True, "compare_server_default": True, "include_object": ours}
        )
        difference = compare_metadata(context, tables.metadata)
    database.close()
    assert difference == []


def test_every_index_and_key_is_there(database_url: str) -> None:
    database = open_database(database_url)
    inspector = inspect(database.engine)
    for table in tables.metadata.sorted_tables:
        assert inspector.get_pk_constraint(table.name)["constrained_columns"] == [
            column.name for column in table.primary_key
        ]
        made = {index["name"] for index in inspector.get_indexes(table.name)} - {"search_trigram"}
        assert made == {index.name for index in table.indexes}
    database.close()


def test_names_are_ordered_by_bytes_on_every_database(database: Database) -> None:
    fold(database, *(run_event("START", 1, name) for name in ("b", "B", "a", "_", "é", "Z", "\U0001f680", "\uffff")))
    with database.read() as connection:
        names = [row.name for row in connection.execute(select(tables.job.c.name).order_by(tables.job.c.name))]
    assert names == sorted(names, key=str.encode)


def test_opening_again_changes_nothing(database_url: str) -> None:
    first = open_database(database_url)
    fold(first, run_event("START", 1, inputs=["x"]))
    before = observable(first)
    first.close()
    second = open_database(database_url)
    assert observable(second) == before
    second.close()


def test_a_newer_database_is_refused_with_what_to_do(database_url: str) -> None:
    database = open_database(database_url)
    with database.engine.connect().execution_options(writes=True) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    database.close()
    with pytest.raises(DatabaseError, match=r"9999.*newer.*install"):
        open_database(database_url)


def test_a_newer_database_is_left_as_it_is(database_url: str) -> None:
    database = open_database(database_url)
    fold(database, run_event("START", 1))
    with database.engine.connect().execution_options(writes=True) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(DatabaseError):
        open_database(database_url)
    assert len(observable(database)["events"]) == 1
    with database.read() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == "9999"
    database.close()


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("", "not a URL"),
        ("headwater.db", "not a URL"),
        ("mysql://localhost/db", "cannot be used"),
        ("sqlite://", "cannot be used"),
        ("sqlite:///:memory:", "cannot be used"),
        ("postgresql://me:secret@127.0.0.1:1/nothing", "cannot open"),
    ],
)
def test_an_unusable_url_is_refused_with_what_was_expected(url: str, said: str) -> None:
    with pytest.raises(DatabaseError, match=said) as caught:
        open_database(url)
    assert "secret" not in str(caught.value)
    assert "sqlite:///" in str(caught.value) or "--database" in str(caught.value)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_text("these are my notes, not a database\n" * 100)
    with pytest.raises(DatabaseError, match="not a database"):
        open_database(f"sqlite:///{file}")
    assert file.read_text().startswith("these are my notes")


def test_the_folder_of_a_new_file_is_made(tmp_path: Path) -> None:
    open_database(f"sqlite:///{tmp_path}/not/yet/there.db").close()
    assert (tmp_path / "not" / "yet" / "there.db").is_file()


@pytest.mark.parametrize("name", ["with space.db", "emoji 🚀.db", "percent %41.db", "hash#1.db", "question?.db"])
def test_a_file_may_have_any_name(tmp_path: Path, name: str) -> None:
    quoted = name.replace("?", "%3F")
    open_database(f"sqlite:///{tmp_path}/{quoted}").close()
    assert any(tmp_path.iterdir())


@pytest.mark.postgres
def test_a_password_is_not_shown(new_postgres_database: Callable[[], str]) -> None:
    url = new_postgres_database()
    database = open_database(url)
    assert url.partition("://")[2].partition(":")[2].partition("@")[0] not in database.url
    database.close()


def test_what_a_reader_sees_is_one_moment(database: Database) -> None:
    events = select(func.count()).select_from(tables.event)
    fold(database, run_event("START", 1))
    with database.read() as connection:
        assert connection.execute(events).scalar() == 1
        fold(database, run_event("START", 2))
        assert connection.execute(events).scalar() == 1
    with database.read() as connection:
        assert connection.execute(events).scalar() == 2


def test_sqlite_keeps_what_was_answered_through_a_power_cut(sqlite: Database) -> None:
    with sqlite.read() as connection:
        assert connection.execute(text("PRAGMA journal_mode")).scalar() == "wal"
        assert connection.execute(text("PRAGMA synchronous")).scalar() == 2


def test_the_newest_migration_is_the_one_the_code_expects() -> None:
    folder = Path(headwater.store.__file__).parent / "migrations" / "versions"
    assert max(file.name[:4] for file in folder.glob("0*.py")) == HEAD


def test_a_database_of_the_first_release_is_brought_up_to_date(database_url: str) -> None:
    database = open_database(database_url)
    fold(database, run_event("START", 1, "orders_daily"), run_event("START", 2, "suppliers"))
    before = observable(database)
    with database.engine.connect().execution_options(writes=True) as connection, connection.begin():
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
        if database.dialect == "postgresql":
            connection.execute(text("DROP FUNCTION headwater_trigrams CASCADE"))
        connection.execute(text("DROP TABLE lease"))
        connection.execute(text("ALTER TABLE run DROP COLUMN lost_at"))
        for index in ("run_started", "job_by_name", "dataset_by_name", "facet_job_type"):
            connection.execute(text(f"DROP INDEX {index}"))
    database.close()
    migrated = open_database(database_url)
    with migrated.read() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == HEAD
        assert [match.name for match in find(connection, "ders_dai", ["job"])] == ["orders_daily"]
    assert observable(migrated) == before
    migrated.close()
