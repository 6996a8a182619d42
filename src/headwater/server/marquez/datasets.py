"""Datasets as Marquez shows them: reading one and lists."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import cast

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.server.http import Call, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, not_found, page
from headwater.server.marquez.column_claims import ColumnLineage, column_lineage
from headwater.server.marquez.ids import DatasetId, Uuid, dataset_version_uuid, moment, moment_or_none
from headwater.server.marquez.jobs import description_of
from headwater.server.marquez.namespaces import existing_namespace
from headwater.store.read.datasets import (
    DatasetRow,
    Node,
    Schema,
    count_datasets,
    current_schemas,
    datasets_by_id,
    find_dataset,
    list_datasets,
    member_roots,
    nodes,
)
from headwater.store.read.facets import Facets, dataset_facets, decode_facet, raw_facets, read_facet
from headwater.store.read.tags import tags_on
from headwater.store.read.versions import VersionRow, newest_versions
from headwater.store.tables import DATASET

MARQUEZ_DATASET = "marquez_dataset"  # our facet for what a client said when it registered a dataset
DEFAULT_SOURCE = "default"
TABLE, STREAM = "DB_TABLE", "STREAM"


class Field(Struct, gc=False):
    """A column."""

    name: str
    type: str | None
    tags: list[str]
    description: str | None


class Dataset(Struct, rename="camel", gc=False):
    """A dataset under one of its names."""

    id: DatasetId
    type: str
    name: str
    physical_name: str
    created_at: datetime
    updated_at: datetime
    namespace: str
    source_name: str
    fields: list[Field]
    tags: list[str]
    last_modified_at: datetime | None
    last_lifecycle_state: str | None
    description: str | None
    current_version: Uuid | None
    column_lineage: list[ColumnLineage] | None
    facets: msgspec.Raw
    deleted: bool
    schema_location: str | msgspec.UnsetType = msgspec.UNSET  # of streams only


class Datasets(Struct, rename="camel", gc=False):
    """A page of datasets."""

    datasets: list[Dataset]
    total_count: int


class _DataSource(Struct, gc=False):
    name: str | None = None


class _SchemaField(Struct, gc=False):
    name: str
    description: str | None = None


class _SchemaFacet(Struct, gc=False):
    fields: list[_SchemaField] | None = None


class Registered(Struct, rename="camel", gc=False):
    """What a client said when it registered a dataset, beyond what standard facets hold."""

    type: str = TABLE
    physical_name: str | None = None
    source_name: str | None = None
    schema_location: str | None = None


_UNREGISTERED = Registered()


def registered(facets: Facets | None) -> Registered:
    """The registration of a dataset, or the defaults."""
    return read_facet(facets, MARQUEZ_DATASET, Registered) or _UNREGISTERED


def source_name(facets: Facets | None, said: Registered) -> str:
    """The source a dataset is in, by its dataSource facet."""
    source = read_facet(facets, "dataSource", _DataSource)
    return (source and source.name) or said.source_name or DEFAULT_SOURCE


def shown_fields(schema: Schema | None, tags: Mapping[str, list[str]], *said: Facets | None) -> list[Field]:
    """The columns of a schema with their tags and what the first facets that describe any say of them."""
    if schema is None:
        return []
    bodies = [facets["schema"] for facets in said if facets and "schema" in facets]
    if any(tags):
        return _fields(schema, _describing(bodies), tags)
    # Few columns have tags, and a graph is asked for again and again: encode them once.
    return cast(list[Field], _encoded_fields(schema, *bodies))


def _describing(bodies: Iterable[bytes]) -> bytes:
    """The first schema facet that describes any column."""
    return next((body for body in bodies if b'"description"' in body), b"")


def _fields(schema: Schema, body: bytes, tags: Mapping[str, list[str]]) -> list[Field]:
    said = decode_facet(body, _SchemaFacet) if body else None
    described = {one.name: one.description for one in (said.fields if said else None) or ()}
    return [Field(c.name, c.type, tags.get(c.name, []), described.get(c.name)) for c in schema.columns]


@lru_cache(maxsize=4096)
def _encoded_fields(schema: Schema, *bodies: bytes) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(_fields(schema, _describing(bodies), {})))


def merged_tags(tags: Mapping[int, Mapping[str, list[str]]], members: Iterable[int]) -> dict[str, list[str]]:
    """Column ('' is the dataset) -> tags, of all names of a node together."""
    merged: dict[str, set[str]] = {}
    for member in members:
        if member in tags:
            for field, names in tags[member].items():
                merged.setdefault(field, set()).update(names)
    return {field: sorted(names) for field, names in merged.items()}


def current_version(row: DatasetRow, newest: VersionRow | None, names: Mapping[int, DatasetRow]) -> Uuid:
    """The UUID of a dataset's newest write, or of its first state if nothing is known to have written it."""
    if newest is None:
        return dataset_version_uuid(row.root_namespace, row.root_name, None, "")
    written = names[newest.dataset_id]
    return dataset_version_uuid(written.namespace, written.name, newest.run, newest.version)


def existing_dataset(db: Connection, namespace: str, name: str) -> DatasetRow:
    """The dataset of that name in an existing namespace, or 404."""
    row = find_dataset(db, namespace, name)
    if row is None:
        existing_namespace(db, namespace)
        raise not_found("Dataset", name)
    return row


def get_dataset(call: Call, db: Connection) -> Dataset:
    return dataset_of(db, call.path["namespace"], call.path["dataset"])


def dataset_of(db: Connection, namespace: str, name: str) -> Dataset:
    """The dataset of that name as clients see it, or 404."""
    return show_datasets(db, [existing_dataset(db, namespace, name)])[0]


def get_datasets(call: Call, db: Connection) -> Datasets:
    limit, offset = page(call)
    namespace = existing_namespace(db, call.path["namespace"])
    rows = list_datasets(db, namespace.id, limit, offset)
    return Datasets(show_datasets(db, rows), count_datasets(db, namespace.id))


def show_datasets(db: Connection, rows: Sequence[DatasetRow]) -> list[Dataset]:
    """The datasets as clients see them, in the same order."""
    found = nodes(db, {row.root_id for row in rows})
    roots = member_roots(found)
    facets = dataset_facets(db, roots)
    schemas = current_schemas(db, roots)
    newest = newest_versions(db, roots)
    tags = tags_on(db, DATASET, roots)
    names = datasets_by_id(db, {v.dataset_id for v in newest.values()})
    lineage = column_lineage(db, found, schemas)
    return [
        _show(
            row,
            found[row.root_id],
            facets.get(row.root_id),
            shown_fields(
                schemas.get(row.root_id),
                (merged := merged_tags(tags, found[row.root_id].members)),
                facets.get(row.root_id),
            ),
            merged.get("", []),
            newest.get(row.root_id),
            current_version(row, newest.get(row.root_id), names),
            lineage.get(row.root_id),
        )
        for row in rows
    ]


def _show(
    row: DatasetRow,
    node: Node,
    facets: Facets | None,
    fields: list[Field],
    tags: list[str],
    newest: VersionRow | None,
    version: Uuid,
    lineage: list[ColumnLineage] | None,
) -> Dataset:
    said = registered(facets)
    return Dataset(
        id=DatasetId(row.namespace, row.name),
        type=said.type,
        name=row.name,
        physical_name=said.physical_name or row.root_name,
        created_at=moment(row.created_at),
        updated_at=moment(row.updated_at),
        namespace=row.namespace,
        source_name=source_name(facets, said),
        fields=fields,
        tags=tags,
        last_modified_at=moment_or_none(newest.last_at if newest else None),
        last_lifecycle_state=newest.lifecycle if newest else None,
        description=description_of(facets),
        current_version=version,
        column_lineage=lineage,
        facets=raw_facets(facets),
        deleted=node.dropped,
        schema_location=(said.schema_location or "") if said.type == STREAM else msgspec.UNSET,
    )


ROUTES = (
    Route(
        "GET",
        "/api/v1/namespaces/{namespace}/datasets",
        get_datasets,
        "List the datasets of a namespace by name",
        (LIMIT, OFFSET),
        answer=Datasets,
        tag="Datasets",
    ),
    Route(
        "GET",
        "/api/v1/namespaces/{namespace}/datasets/{dataset}",
        get_dataset,
        "Read a dataset",
        answer=Dataset,
        tag="Datasets",
    ),
)
