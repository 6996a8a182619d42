"""Counts of what each place of the pipeline holds, for reconcile to compare."""

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, date
from decimal import Decimal
from pathlib import Path
from typing import Any

from headwater.pipeline.archive import ArchivedOrder, archived_orders
from headwater.pipeline.reconcile import Tally, compare_keys, in_words
from headwater.pipeline.registry import SchemaRegistry
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.shop import KEYS, Shop
from headwater.pipeline.topic_reader import TopicReader, decoder, key_of
from headwater.pipeline.windows import Sale, Total, Window, disagreements, totals

WINDOWS = "supplier windows"
STATS_TOPIC = "supplier-stats"
FETCH = 10_000


def shop_tally(shop: Shop, table: str) -> Tally:
    """What the shop itself holds: the truth that every other place is compared with."""
    query = f"SELECT count(*), count(DISTINCT {KEYS[table]}), coalesce(sum(price), 0) FROM {table}"
    row = shop.execute(query).fetchone()
    assert row
    return Tally(what=table, place=f"shop, table {table}", rows=row[0], keys=row[1], price=row[2])


def shop_keys(shop: Shop, table: str) -> list[str]:
    """The keys of a table's rows."""
    return [key for (key,) in shop.execute(f"SELECT {KEYS[table]} FROM {table}")]


def shop_days(shop: Shop) -> list[date]:
    """The days (UTC) that have orders, oldest first."""
    return [day for (day,) in shop.execute("SELECT DISTINCT bid_time::date AS day FROM orders ORDER BY day")]


def export_shop(shop: Shop, folder: Path) -> None:
    """Write the shop's tables as orders.csv and bids.csv, for a job that compares them with tables elsewhere."""
    for table in KEYS:
        copy = f"COPY {table} TO STDOUT WITH (FORMAT csv, HEADER true)"
        with (folder / f"{table}.csv").open("wb") as file, shop.cursor() as cursor, cursor.copy(copy) as rows:
            file.writelines(bytes(part) for part in rows)


def topic_tally(reader: TopicReader, shop: Shop) -> Tally:
    """What a topic of the shop's rows holds, read from its start to its end."""
    found = Counter(key_of(message) for message in reader.read())
    return Tally(
        what=reader.topic,
        place=f"topic {reader.topic}",
        rows=found.total(),
        keys=len(found),
        differences=compare_keys(shop_keys(shop, reader.topic), found),
    )


def archive_tally(settings: PipelineSettings, shop: Shop) -> Tally:
    """What the archive holds, each of its lines compared with the shop's row."""
    surplus: Counter[ArchivedOrder] = Counter()
    keys, price, rows = set(), Decimal(0), 0
    for order in archived_orders(settings.s3):
        surplus[order] += 1
        keys.add(order[0])
        price += order[2] or 0
        rows += 1
    surplus.subtract(shop_orders(shop))
    return Tally(
        what="orders",
        place=f"archive {settings.s3.archive}",
        rows=rows,
        keys=len(keys),
        price=price,
        differences=in_words(
            f"{order[0]} {'is missing' if times < 0 else 'is there, but is not so in the shop'}"
            for order, times in sorted(surplus.items(), key=lambda item: str(item[0][0]))
            if times
        ),
    )


def shop_orders(shop: Shop) -> Iterator[ArchivedOrder]:
    """The shop's orders as they are to be in the archive, read in portions."""
    with shop.transaction(), shop.cursor("orders") as cursor:
        cursor.itersize = FETCH
        for key, bid_time, *rest in cursor.execute("SELECT order_id, bid_time, price, item, supplier FROM orders"):
            yield key, bid_time.replace(tzinfo=UTC), *rest


def window_tallies(reader: TopicReader, settings: PipelineSettings, shop: Shop) -> tuple[Tally, Tally]:
    """The closed windows as calculated here from the shop's rows, and as the stream tells them on its topic."""
    decode = decoder(SchemaRegistry(settings.registry))
    expected = totals(sales(shop))
    said = [window_total(decode(message)) for message in reader.read()]
    truth = Tally(what=WINDOWS, place="calculated from the shop", rows=len(expected), price=sum_of(expected))
    told = dict(said)
    wrong = in_words(disagreements(expected, said))
    return truth, Tally(
        what=WINDOWS, place=f"topic {reader.topic}", rows=len(told), price=sum_of(told), differences=wrong
    )


def window_total(record: Mapping[str, Any]) -> tuple[Window, Total]:
    """A record of the topic supplier-stats, as the calculation in plain Python would tell it."""
    return (
        Window(record["window_start"], record["supplier"] or ""),
        Total(record["total_price"], record["count"]),
    )


def sum_of(windows: Mapping[Window, Total]) -> Decimal:
    """The sum of the totals of windows."""
    return sum((total.price for total in windows.values() if total.price is not None), Decimal("0.00"))


def sales(shop: Shop) -> Iterator[Sale]:
    """What counts of each order."""
    for _, bid_time, price, _, supplier in shop_orders(shop):
        assert bid_time is not None
        yield Sale(bid_time, supplier, price)


def table_tallies(report: Mapping[str, Any], settings: PipelineSettings) -> list[Tally]:
    """What the job reconcile found in the tables."""
    table = settings.catalog.table
    places = {
        table("orders"): ("orders", f"Iceberg {table('orders')}"),
        table("supplier_stats"): ("orders", f"Iceberg {table('supplier_stats')}, summed"),
        table("bids"): ("bids", f"Iceberg {table('bids')}"),
    }
    return [
        Tally(
            what=what,
            place=place,
            rows=report[name]["rows"],
            keys=report[name].get("keys"),
            price=Decimal(report[name]["price"]),
            differences=in_words(report[name]["differences"]),
        )
        for name, (what, place) in places.items()
    ]
