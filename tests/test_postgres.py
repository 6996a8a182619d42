import socket
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest
import sqlalchemy

from tests.postgres import running_postgres


def port_of(url: str) -> int:
    port = urlsplit(url).port
    assert port is not None
    return port


@pytest.mark.postgres
def test_each_database_is_new_and_empty(new_postgres_database: Callable[[], str]) -> None:
    first, second = new_postgres_database(), new_postgres_database()
    with psycopg.connect(first) as connection:
        connection.execute("CREATE TABLE jobs (name text)")
    with psycopg.connect(second) as connection:
        tables = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'").fetchall()
    assert tables == []


@pytest.mark.postgres
def test_the_server_keeps_its_durable_defaults(postgres_url: str) -> None:
    with psycopg.connect(postgres_url) as connection:
        for name in ("fsync", "synchronous_commit", "full_page_writes"):
            assert connection.execute("SELECT current_setting(%s)", [name]).fetchone() == ("on",)


@pytest.mark.postgres
def test_the_server_asks_for_its_password(postgres_url: str) -> None:
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(postgres_url, password="wrong")


@pytest.mark.postgres
def test_a_server_is_gone_after_use_and_takes_options() -> None:
    with tempfile.TemporaryDirectory(prefix="headwater-pg-") as directory:
        with (
            running_postgres(Path(directory), "max_connections=7") as url,
            psycopg.connect(url) as connection,
        ):
            assert connection.execute("SHOW max_connections").fetchone() == ("7",)
        with socket.socket() as probe:
            assert probe.connect_ex(("127.0.0.1", port_of(url))) != 0


def test_a_database_url_is_one_that_sqlalchemy_can_open(database_url: str) -> None:
    engine = sqlalchemy.create_engine(database_url.replace("postgresql://", "postgresql+psycopg://"))
    with engine.connect() as connection:
        assert connection.scalar(sqlalchemy.text("SELECT 1")) == 1
    engine.dispose()
