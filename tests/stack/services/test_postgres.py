import os
import stat
import subprocess
import tempfile
from pathlib import Path

import psycopg
import pytest

from headwater.stack.lab import Lab
from headwater.stack.processes.spawning import ownership
from headwater.stack.services.postgres import account, copied, folder, prepare, programs
from tests.stack.real import kill, start


def shop(lab: Lab, password: str | None = None) -> "psycopg.Connection[tuple[object, ...]]":
    return psycopg.connect(
        lab.address("postgres"), password=password or lab.credentials.shop_password, autocommit=True, connect_timeout=10
    )


def test_rows_are_there_after_the_server_was_killed(real_lab: Lab) -> None:
    start(real_lab, "postgres")
    with shop(real_lab) as session:
        session.execute("CREATE TABLE kept AS SELECT 'order-1' AS order_id")
    kill(real_lab, "postgres")
    start(real_lab, "postgres")
    with shop(real_lab) as session:
        assert session.execute("SELECT order_id FROM kept").fetchall() == [("order-1",)]
        session.execute("DROP TABLE kept")


def test_the_shop_can_follow_its_own_changes(real_lab: Lab) -> None:
    start(real_lab, "postgres")
    with shop(real_lab) as session:
        assert session.execute("SHOW wal_level").fetchone() == ("logical",)
        session.execute("SELECT pg_create_logical_replication_slot('followed', 'pgoutput')")
        session.execute("SELECT pg_drop_replication_slot('followed')")
        owner = "SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = 'shop'"
        assert session.execute(owner).fetchone() == ("shop",)


def test_a_wrong_password_is_refused(real_lab: Lab) -> None:
    start(real_lab, "postgres")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        shop(real_lab, "wrong")


def test_the_data_belong_to_the_servers_account_alone(real_lab: Lab) -> None:
    start(real_lab, "postgres")
    place = folder(real_lab)
    assert stat.S_IMODE(place.stat().st_mode) == 0o700
    assert place.owner() == (account() or Path.home().owner())
    assert not (place / "password").exists()


def test_a_preparation_that_was_cut_short_is_done_again(lab: Lab) -> None:
    (folder(lab) / "new").mkdir()
    (folder(lab) / "new" / "PG_VERSION").write_text("1")
    (folder(lab) / "password").write_text("left over")
    prepare(lab)
    assert (folder(lab) / "cluster" / "postgresql.conf").exists()
    before = (folder(lab) / "cluster" / "postgresql.conf").stat().st_mtime_ns
    prepare(lab)
    assert (folder(lab) / "cluster" / "postgresql.conf").stat().st_mtime_ns == before
    assert [entry.name for entry in folder(lab).iterdir()] == ["cluster"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has an account to give the programs to")
def test_programs_that_the_account_cannot_reach_are_copied_to_where_it_can() -> None:
    package = programs().parent.parent
    with tempfile.TemporaryDirectory(prefix="headwater-copy-") as place:
        umask = os.umask(0o077)
        try:
            copy = copied(package, Path(place))
        finally:
            os.umask(umask)
        postgres = copy / package.name / "pginstall" / "bin" / "postgres"
        done = subprocess.run([postgres, "--version"], capture_output=True, cwd="/", **ownership(account()))
        assert done.returncode == 0, done.stderr
        assert copied(package, Path(place)) == copy
        assert list(Path(place).iterdir()) == [copy]
