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
from headwater.stack.object_store import OBJECT_STORE, buckets
from headwater.stack.stopping import down
from tests.stack.small import bring_up, quiet_board, small_lab

NOON = datetime(2026, 3, 1, 12, 0, 0, 1000, tzinfo=UTC)
LINE = b'{"order_id":"order-1","bid_time":"2026-03-01T12:00:00.001Z","price":1.1,"item":"lamp","supplier":null}\n'
BARE = b'{"order_id":"order-2","bid_time":"2026-03-01T12:00:00.001Z","price":null,"item":null,"supplier":"Bob"}\n'


@pytest.fixture
def archive(tmp_path: Path) -> Iterator[tuple[S3, Path]]:
    """A store with two objects in its archive, and the folder of the bucket."""
    lab = bring_up(small_lab(tmp_path / "lab"), [OBJECT_STORE]).lab
    known = lab.credentials
    folder = buckets(lab) / "fh-dev-bucket"
    for name, text in (("bid_date=2026-03-01/orders+0+0.json", LINE + BARE), ("bid_date=2026-03-02/a b.json", LINE)):
        file = folder / "orders" / name
        file.parent.mkdir(parents=True)
        file.write_bytes(text)
    yield (
        S3(
            endpoint=lab.address("object-store"),
            access_key=known.s3_access_key,
            secret_key=known.s3_secret_key,
            archive="s3://fh-dev-bucket/orders",
        ),
        folder,
    )
    down(lab, [OBJECT_STORE], (), quiet_board())


def store_of(settings: S3) -> Store:
    return Store(
        endpoint=settings.endpoint, region="us-east-1", access_key=settings.access_key, secret_key=settings.secret_key
    )


def test_every_line_of_every_object_is_an_order(archive: tuple[S3, Path]) -> None:
    one, two = order_of(LINE), order_of(BARE)
    assert one == ("order-1", NOON, Decimal("1.10"), "lamp", None)
    assert two == ("order-2", NOON, None, None, "Bob")
    assert sorted(archived_orders(archive[0]), key=str) == [one, one, two]


def test_more_objects_than_one_list_holds_are_all_found(archive: tuple[S3, Path]) -> None:
    settings, folder = archive
    (folder / "many").mkdir()
    names = {f"many/{number:04}.json" for number in range(2_345)}
    for name in names:
        (folder / name).touch()
    found = list(object_keys(store_of(settings), "fh-dev-bucket", "many/"))
    assert len(found) == len(set(found))
    assert set(found) == names


def test_an_archive_that_is_empty_has_no_orders(archive: tuple[S3, Path]) -> None:
    assert list(archived_orders(replace(archive[0], archive="s3://fh-dev-bucket/nothing"))) == []


def test_a_wrong_secret_is_an_error_that_does_not_repeat_it(archive: tuple[S3, Path]) -> None:
    with pytest.raises(StoreError, match="403") as raised:
        list(archived_orders(replace(archive[0], secret_key="notthesecret")))
    assert "notthesecret" not in str(raised.value)
