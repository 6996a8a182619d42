"""The shop whose orders start it all: two tables in PostgreSQL, and how rows get into them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from psycopg import Connection, connect

from headwater.pipeline.orders import Bid, Order

Shop = Connection[tuple[Any, ...]]

# The tables, and the column that is the key of each.
KEYS = {"orders": "order_id", "bids": "bid_id"}
CONNECT_TIMEOUT = 10
# Every column but the key and the time may be null: a shop's data is never complete.
TABLES = """
CREATE TABLE IF NOT EXISTS orders (
    order_id text PRIMARY KEY, bid_time timestamp(3) NOT NULL, price numeric(12, 2), item text, supplier text
);
CREATE TABLE IF NOT EXISTS bids (
    bid_id text PRIMARY KEY, bid_time timestamp(3) NOT NULL, price numeric(12, 2), item text, supplier text
);
CREATE SEQUENCE IF NOT EXISTS order_numbers;
CREATE SEQUENCE IF NOT EXISTS bid_numbers;
CREATE INDEX IF NOT EXISTS orders_bid_time ON orders (bid_time);
"""
# Held while the tables are made, because two sessions that make the same table at once make an error.
TABLES_LOCK = 6_173_452


@dataclass(frozen=True, slots=True)
class Numbered:
    """A row with the key under which the shop keeps it."""

    key: str
    bid: Bid


@dataclass(frozen=True, slots=True)
class Batch:
    """Orders and bids that are written together, or not at all; writing them again changes nothing."""

    orders: tuple[Numbered, ...]
    bids: tuple[Numbered, ...]


def open_shop(url: str) -> Shop:
    """A connection to the shop, with its tables made if they were absent; each statement is a transaction."""
    shop = connect(url, autocommit=True, connect_timeout=CONNECT_TIMEOUT, application_name="orders-generator")
    try:
        with shop.transaction():
            shop.execute("SELECT pg_advisory_xact_lock(%s)", [TABLES_LOCK])
            # The notes that a table is there already are no news.
            shop.execute("SET LOCAL client_min_messages = warning")
            shop.execute(TABLES)
    except BaseException:
        shop.close()
        raise
    return shop


def number(shop: Shop, orders: Sequence[Order]) -> Batch:
    """Give orders and their bids keys that no other row has or will have, whoever else writes to the shop."""
    bids = [bid for order in orders for bid in order.bids]
    order_keys = keys(shop, "order_numbers", "order", len(orders))
    bid_keys = keys(shop, "bid_numbers", "bid", len(bids))
    return Batch(
        tuple(Numbered(key, order) for key, order in zip(order_keys, orders, strict=True)),
        tuple(Numbered(key, bid) for key, bid in zip(bid_keys, bids, strict=True)),
    )


def keys(shop: Shop, sequence: str, prefix: str, count: int) -> list[str]:
    """The next keys of a sequence, such as order-0000000042."""
    rows = shop.execute("SELECT nextval(%s) FROM generate_series(1, %s)", [sequence, count]).fetchall()
    return [f"{prefix}-{serial:010}" for (serial,) in rows]


def write(shop: Shop, batch: Batch) -> None:
    """Write a batch in one transaction; rows that are there already are left as they are."""
    with shop.transaction():
        for table, rows in (("orders", batch.orders), ("bids", batch.bids)):
            if rows:
                shop.execute(
                    f"INSERT INTO {table} SELECT * FROM "
                    "unnest(%s::text[], %s::timestamp[], %s::numeric[], %s::text[], %s::text[]) ON CONFLICT DO NOTHING",
                    [
                        [row.key for row in rows],
                        [row.bid.bid_time.replace(tzinfo=None) for row in rows],
                        [row.bid.price for row in rows],
                        [row.bid.item for row in rows],
                        [row.bid.supplier for row in rows],
                    ],
                )


def newest_order(shop: Shop) -> datetime | None:
    """The latest bid_time of any order; None while there is none."""
    row = shop.execute("SELECT max(bid_time) FROM orders").fetchone()
    # The shop's column has no zone, because the source connector makes text of one that has; it means UTC.
    return row[0].replace(tzinfo=UTC) if row and row[0] else None
