import subprocess
from pathlib import Path

import pytest

from headwater.stack.lab import Lab
from headwater.stack.services.object_store import ARCHIVE, WAREHOUSE, rclone
from tests.stack.real import kill, start


def client(lab: Lab, *command: str, secret: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run rclone as a client of the store, which it then knows as `lab:`."""
    settings = {
        "TYPE": "s3",
        "PROVIDER": "Other",
        "ENDPOINT": lab.address("object-store"),
        "ACCESS_KEY_ID": lab.credentials.s3_access_key,
        "SECRET_ACCESS_KEY": secret or lab.credentials.s3_secret_key,
    }
    env = {f"RCLONE_CONFIG_LAB_{name}": value for name, value in settings.items()} | {"RCLONE_CONFIG": ""}
    return subprocess.run([rclone(), *command, "--retries", "1"], env=env, capture_output=True, text=True, timeout=60)


@pytest.fixture
def order(tmp_path: Path) -> Path:
    (tmp_path / "order.json").write_text('{"order_id": "order-1"}\n')
    return tmp_path / "order.json"


def test_both_buckets_are_there(real_lab: Lab) -> None:
    start(real_lab, "object-store")
    listed = client(real_lab, "lsf", "lab:")
    assert sorted(listed.stdout.split()) == [f"{ARCHIVE}/", f"{WAREHOUSE}/"]


def test_an_object_is_there_after_the_store_was_killed(real_lab: Lab, order: Path) -> None:
    start(real_lab, "object-store")
    assert client(real_lab, "copy", str(order), f"lab:{ARCHIVE}/kept").returncode == 0
    kill(real_lab, "object-store")
    start(real_lab, "object-store")
    assert client(real_lab, "cat", f"lab:{ARCHIVE}/kept/order.json").stdout == order.read_text()


def test_a_wrong_secret_can_neither_read_nor_write(real_lab: Lab, order: Path) -> None:
    start(real_lab, "object-store")
    listed = client(real_lab, "lsf", f"lab:{ARCHIVE}", secret="0" * 40)
    written = client(real_lab, "copy", str(order), f"lab:{ARCHIVE}/forged", secret="0" * 40)
    assert "SignatureDoesNotMatch" in listed.stderr
    assert written.returncode != 0
    assert "forged" not in client(real_lab, "lsf", f"lab:{ARCHIVE}").stdout
