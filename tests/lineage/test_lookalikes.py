"""Which addresses are one address spelled in two ways."""

import pytest

from headwater.lineage.lookalikes import lookalikes, spelling


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("kafka://localhost:9092", "orders"), ("kafka://127.0.0.1:9092", "orders")),
        (("s3a://warehouse", "orders"), ("s3://warehouse", "/orders/")),
        (("s3://warehouse/", "orders"), ("s3://warehouse", "orders")),
        (("postgresql://db:5432", "shop.public.orders"), ("postgres://db:5432", "SHOP.public.orders")),
        (("thrift://meta:9083", "default.orders"), ("hive://meta.internal:9083", "default.orders")),
        (("file", "/data/x"), ("FILE", "/data/x/")),
    ],
)
def test_the_same(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert spelling(*one) == spelling(*other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("kafka://prod:9092", "orders"), ("kafka://test:9092", "orders")),
        (("kafka://localhost:9092", "orders"), ("kafka://localhost:9093", "orders")),
        (("kafka://localhost:9092", "orders"), ("s3://localhost:9092", "orders")),
        (("s3://my.bucket", "x"), ("s3://my.other", "x")),
        (("s3://a", "x"), ("s3://a", "x/y")),
        (("postgres://10.0.0.1:5432", "x"), ("postgres://10.0.0.2:5432", "x")),
    ],
)
def test_not_the_same(one: tuple[str, str], other: tuple[str, str]) -> None:
    assert spelling(*one) != spelling(*other)


def test_groups_are_of_two_or_more() -> None:
    datasets = [(1, "s3://a", "x"), (2, "s3a://a", "x"), (3, "s3n://a", "x"), (4, "s3://a", "y")]
    assert lookalikes(datasets) == [[1, 2, 3]]
