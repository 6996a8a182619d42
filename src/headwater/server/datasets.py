"""A dataset with its history: how its schema changed, who wrote what when, and its other names."""

from itertools import pairwise

from msgspec import Raw, Struct
from sqlalchemy import Connection

from headwater.lineage.neighbourhood import Counts
from headwater.lineage.schemas import SchemaDiff, schema_diff
from headwater.openlineage.events import format_time
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, HttpError, Param, Route
from headwater.store.read import nodes as read
from headwater.store.read.datasets import member_roots, nodes
from headwater.store.read.facets import dataset_facets, raw_facets
from headwater.store.read.graph import Now
from headwater.store.read.history import SchemaChange, schema_changes, writes
from headwater.store.read.names import find_dataset
from headwater.store.tables import INPUT, OUTPUT


class SchemaVersion(Struct, omit_defaults=True):
    """A schema, since when, what it changed, and the run that reported it."""

    since: str
    columns: Raw
    changes: SchemaDiff
    run: str | None = None


class WriteVersion(Struct, omit_defaults=True):
    """A write: by which run of which job, when, and what it did."""

    at: str
    run: str | None = None
    job: str | None = None
    version: str | None = None
    lifecycle: str | None = None


class DatasetDetail(Struct):
    """All that is known of a dataset; its id is that of the node, whichever of its names was asked for."""

    id: str
    namespace: str
    name: str
    aliases: list[str]
    createdAt: str
    dropped: bool
    hidden: bool
    counts: Counts
    columns: Raw
    schemas: list[SchemaVersion]
    writes: list[WriteVersion]
    facets: Raw


def get_dataset(call: Call, db: Connection) -> DatasetDetail:
    """A dataset with its history, the newest first."""
    namespace, name = call.path["namespace"], call.path["name"]
    found = find_dataset(db, namespace, name)
    if found is None:
        raise HttpError(404, f"no dataset {name!r} in namespace {namespace!r}; /api/v1/search?q= finds names")
    root = found.root_id
    info = read.datasets(db, [root])[root]
    limit: int = call.get("limit")
    schemas = schema_changes(db, root, limit + 1)
    counts = Now(db).counts([], [root])
    facets = dataset_facets(db, member_roots(nodes(db, [root])))
    return DatasetDetail(
        id=canonical(Kind.DATASET, info.namespace, info.name),
        namespace=info.namespace,
        name=info.name,
        aliases=[canonical(Kind.DATASET, *alias) for alias in info.aliases],
        createdAt=format_time(info.created_at),
        dropped=info.dropped,
        hidden=info.hidden,
        counts=Counts(counts["dataset", root, OUTPUT], counts["dataset", root, INPUT]),
        columns=read.columns(db, [root]).get(root, Raw(b"[]")),
        schemas=_history(schemas)[:limit],
        writes=[
            WriteVersion(
                format_time(w.last_at),
                w.run,
                None if w.job is None else canonical(Kind.JOB, w.job_namespace or "", w.job),
                w.version or None,
                w.lifecycle,
            )
            for w in writes(db, root, limit)
        ],
        facets=raw_facets(facets.get(root)),
    )


def _history(changes: list[SchemaChange]) -> list[SchemaVersion]:
    """Each schema with what it changed in the one before it; the oldest has all its columns added."""
    return [
        SchemaVersion(
            format_time(change.at),
            change.fields,
            schema_diff(before.fields if before else None, change.fields),
            change.run,
        )
        for change, before in pairwise([*changes, None])
        if change is not None
    ]


ROUTES = (
    Route(
        "GET",
        "/api/v2/datasets/{namespace}/{name}",
        get_dataset,
        "a dataset with its history",
        params=(Param("limit", int, 20, minimum=1, maximum=1000, help="schemas and writes at most"),),
        answer=DatasetDetail,
        tag="datasets",
    ),
)
