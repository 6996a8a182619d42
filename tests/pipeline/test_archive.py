"""The archive on a real object store: more objects than one list holds, and names that need escaping."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from headwater.pipeline.archive import archived_orders, object_keys, order_of
from headwater.pipeline.objects import Store, StoreError
from headwater.pipeline.settings import S3
from headwater.stack.services.object_store import OBJECT_STORE, buckets
from headwater.stack.supervisor.stopping import down
from tests.stack.small import bring_up, quiet_board, small_lab

NOON = datetime(2026, 3, 1, 12, 0, 0, 1000, tzinfo=UTC)
LINE = b'{"order_id":"order-1","bid_time":"2026-03-01T12:00:00.001Z","price":1.1,"item":"lamp","supplier":null}\n'
BARE = b'{"order_id":"order-2","bid_time":"2026-03-01T12:00:00.001Z","price":null,"item":null,"supplier":"Bob"}\n'


MANY = {f"many/{number:04}.json" for number in range(2_345)}


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[S3]:
    """A store with two objects in its archive, and with many more outside it."""
    lab = small_lab(tmp_path / "lab")
    folder = buckets(lab) / "fh-dev-bucket"
    lines = {"orders/bid_date=2026-03-01/orders+0+0.json": LINE + BARE, "orders/bid_date=2026-03-02/a b.json": LINE}
    # Before the start: the store remembers a folder that it has listed, and sees later what is not put through it.
    for name, text in (lines | dict.fromkeys(MANY, b"")).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(text)
    lab = bring_up(lab, [OBJECT_STORE]).lab
    yield S3(
        endpoint=lab.address("object-store"),
        access_key=lab.credentials.s3_access_key,
        secret_key=lab.credentials.s3_secret_key,
        archive="s3://fh-dev-bucket/orders",
    )
    down(lab, [OBJECT_STORE], (), quiet_board())


def store_of(settings: S3) -> Store:
    return Store(
        endpoint=settings.endpoint, region="us-east-1", access_key=settings.access_key, secret_key=settings.secret_key
    )


def test_every_line_of_every_object_is_an_order(archive: S3) -> None:
    one, two = order_of(LINE), order_of(BARE)
    assert one == ("order-1", NOON, Decimal("1.10"), "lamp", None)
    assert two == ("order-2", NOON, None, None, "Bob")
    assert sorted(archived_orders(archive), key=str) == [one, one, two]


def test_more_objects_than_one_list_holds_are_all_found(archive: S3) -> None:
    found = list(object_keys(store_of(archive), "fh-dev-bucket", "many/"))
    assert len(found) == len(set(found))
    assert set(found) == MANY


def test_an_archive_that_is_empty_has_no_orders(archive: S3) -> None:
    assert list(archived_orders(replace(archive, archive="s3://fh-dev-bucket/nothing"))) == []


def test_a_wrong_secret_is_an_error_that_does_not_repeat_it(archive: S3) -> None:
    with pytest.raises(StoreError, match="403") as raised:
        list(archived_orders(replace(archive, secret_key="notthesecret")))
    assert "notthesecret" not in str(raised.value)
