"""Every dataset with its size in columns, its readers and its writers."""

import msgspec
from msgspec import Raw, Struct
from sqlalchemy import Connection

from headwater.openlineage.events import format_time
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, Param, Route
from headwater.server.pages.paging import (
    CURSOR,
    FILTER,
    LIMIT,
    NAMESPACE,
    TOTAL,
    cursor_for,
    order_of,
    place_of,
    sort_param,
    text_of,
)
from headwater.store.read import nodes as read
from headwater.store.read.pages.datasets import KEYS, DatasetFilter, count_datasets, dataset_page, mentioned, uses

_columns = msgspec.json.Decoder(list[Raw])


class DatasetEntry(Struct):
    """A dataset in a list: how many columns it has, if that is known, and how many jobs use it."""

    id: str
    namespace: str
    name: str
    aliases: list[str]
    columns: int | None
    readers: int
    writers: int
    dropped: bool
    createdAt: str
    updatedAt: str


class DatasetPage(Struct):
    """A page of datasets; `total` counts all of them, if asked for."""

    datasets: list[DatasetEntry]
    cursor: str | None
    total: int | None


def get_datasets(call: Call, db: Connection) -> DatasetPage:
    """A page of datasets."""
    wanted = DatasetFilter(
        text_of(call, "filter"), call.get("namespace"), text_of(call, "scheme"), text_of(call, "tag")
    )
    order = order_of(call)
    found = dataset_page(db, wanted, order, place_of(call, KEYS, order), call.get("limit"))
    infos, columns = read.datasets(db, found.ids), read.columns(db, found.ids)
    used, times = uses(db, found.ids), mentioned(db, found.ids)
    entries = []
    for id in found.ids:
        info = infos[id]
        entries.append(
            DatasetEntry(
                canonical(Kind.DATASET, info.namespace, info.name),
                info.namespace,
                info.name,
                [canonical(Kind.DATASET, *alias) for alias in info.aliases],
                len(_columns.decode(columns[id])) if id in columns else None,
                used[id].readers,
                used[id].writers,
                info.dropped,
                format_time(info.created_at),
                format_time(times[id]),
            )
        )
    total = count_datasets(db, wanted) if call.get("total") else None
    return DatasetPage(entries, cursor_for(found.end, order), total)


ROUTES = (
    Route(
        "GET",
        "/api/v2/datasets",
        get_datasets,
        "datasets with their readers and writers, in pages",
        params=(
            FILTER,
            NAMESPACE,
            Param("scheme", help="only where the namespace begins so: kafka, s3, postgres, …"),
            Param("tag", help="only with this tag, on the dataset or on one of its columns"),
            sort_param(KEYS, "name"),
            LIMIT,
            TOTAL,
            CURSOR,
        ),
        answer=DatasetPage,
        tag="datasets",
    ),
)
