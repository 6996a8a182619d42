"""Events as the lab's pipeline sends them, for the README's pictures: the same jobs, without starting them."""

from datetime import UTC, datetime, timedelta
from typing import Any

from tests.server.making import facet, run_id

Json = dict[str, Any]

SHOP = ("postgres://127.0.0.1:5432", "shop.public.orders")
TOPIC = ("kafka://127.0.0.1:9092", "orders")
FAILED = ("kafka://127.0.0.1:9092", "orders-dead-letters")
TABLE = ("s3://warehouse", "orders")
OBJECTS = ("s3://fh-dev-bucket", "orders")
LIVE_STATS = ("kafka://127.0.0.1:9092", "supplier-stats")
STATS = ("s3://warehouse", "supplier_stats")

ORDER = {
    "order_id": "string",
    "item": "string",
    "price": "decimal(10,2)",
    "supplier": "string",
    "bid_time": "timestamp",
}
TOTALS = {"supplier": "string", "total_price": "decimal(20,2)", "count": "bigint"}
SUMS = {
    "supplier": ("supplier", "IDENTITY"),
    "total_price": ("price", "AGGREGATION"),
    "count": ("order_id", "AGGREGATION"),
}
SAME = {name: (name, "IDENTITY") for name in ORDER}


def events() -> list[Json]:
    """A connector, three streams, an archive and a batch job, all at work."""
    order_topic, order_table = _dataset(TOPIC, ORDER, SHOP, SAME), _dataset(TABLE, ORDER, TOPIC, SAME)
    streaming = {"processingType": "STREAMING"}
    connector = {**streaming, "integration": "KAFKA_CONNECT", "jobType": "CONNECTOR"}
    query = {**streaming, "integration": "SPARK", "jobType": "QUERY"}
    batch = {"processingType": "BATCH", "integration": "SPARK", "jobType": "APPLICATION"}
    figures = {"headwater_streamProgress": _progress(9_800, 1_240)}
    flow = {"headwater_flow": facet(recordsPerSecond=9_800, lag=0)}
    live = _dataset(LIVE_STATS, TOTALS, TOPIC, SUMS)
    stats = _dataset(STATS, TOTALS, TABLE, SUMS)
    source = _dataset(SHOP, ORDER)
    return [
        *_open("orders-source", connector, [source], [order_topic], flow),
        *_open("orders-s3-objects", connector, [order_topic], [_dataset(OBJECTS, ORDER, TOPIC, SAME)], flow),
        *_open(
            "iceberg-ingestion", query, [order_topic], [order_table, _dataset(FAILED, {"value": "binary"})], figures
        ),
        *_open("supplier-stats", query, [order_topic], [live], {"headwater_streamProgress": _progress(9_750, 1_290)}),
        *_done("supplier_stats_batch", batch, [order_table], [stats]),
    ]


def _progress(rows: int, lag: int) -> Json:
    return facet(inputRowsPerSecond=rows, processedRowsPerSecond=3 * rows, batchMillis=460, sources=[{"lag": lag}])


def _dataset(
    name: tuple[str, str], columns: dict[str, str], source: tuple[str, str] | None = None, made: Any = None
) -> Json:
    facets = {"schema": facet(fields=[{"name": column, "type": kind} for column, kind in columns.items()])}
    if name[0] == "s3://warehouse":
        other = {"namespace": "hive://127.0.0.1:9083", "name": f"default.{name[1]}", "type": "TABLE"}
        facets["symlinks"] = facet(identifiers=[other])
    if source is not None:
        fields = {out: {"inputFields": [_input(source, column, how)]} for out, (column, how) in made.items()}
        facets["columnLineage"] = facet(fields=fields)
    return {"namespace": name[0], "name": name[1], "facets": facets}


def _input(source: tuple[str, str], column: str, how: str) -> Json:
    transformation = {"type": "DIRECT", "subtype": how, "description": "", "masking": False}
    return {"namespace": source[0], "name": source[1], "field": column, "transformations": [transformation]}


def _open(name: str, kind: Json, inputs: list[Json], outputs: list[Json], facets: Json) -> list[Json]:
    return [
        _event("START", name, kind, 76 * 60, inputs, outputs),
        _event("RUNNING", name, kind, 0.2, inputs, outputs, facets),
    ]


def _done(name: str, kind: Json, inputs: list[Json], outputs: list[Json]) -> list[Json]:
    return [_event("START", name, kind, 8, inputs, outputs), _event("COMPLETE", name, kind, 7, inputs, outputs)]


def _event(
    type: str,
    name: str,
    kind: Json,
    minutes: float,
    inputs: list[Json],
    outputs: list[Json],
    facets: Json | None = None,
) -> Json:
    return {
        "eventType": type,
        "eventTime": (datetime.now(UTC) - timedelta(minutes=minutes)).isoformat(),
        "producer": "https://github.com/headwater-lineage/headwater",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(name), "facets": facets or {}},
        "job": {"namespace": "fh-local", "name": name, "facets": {"jobType": facet(**kind)}},
        "inputs": inputs,
        "outputs": outputs,
    }
