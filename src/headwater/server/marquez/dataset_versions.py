"""The versions of a dataset: one for each write."""

from collections.abc import Mapping, Sequence
from datetime import datetime

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.server.http import Call, Route
from headwater.server.marquez.answers import LIMIT, OFFSET, not_found, page, path_uuid
from headwater.server.marquez.datasets import (
    STREAM,
    Field,
    current_version,
    existing_dataset,
    merged_tags,
    registered,
    shown_fields,
    source_name,
)
from headwater.server.marquez.ids import Uuid, VersionId, moment, stable_uuid
from headwater.server.marquez.jobs import description_of
from headwater.server.marquez.runs import Run, show_runs
from headwater.store.read.datasets import (
    DatasetRow,
    Schema,
    current_schemas,
    datasets_by_id,
    nodes,
    schemas,
)
from headwater.store.read.facets import Facets, dataset_facets, raw_facets
from headwater.store.read.runs import runs_by_id
from headwater.store.read.tags import tags_on
from headwater.store.read.versions import VersionRow, count_versions, list_versions, schemas_of
from headwater.store.read.written import facets_when_written
from headwater.store.tables import DATASET


class DatasetVersion(Struct, rename="camel", gc=False):
    """A dataset as one run left it."""

    id: VersionId
    type: str
    name: str
    physical_name: str
    created_at: datetime
    version: Uuid
    namespace: str
    source_name: str
    fields: list[Field]
    tags: list[str]
    lifecycle_state: str | None
    description: str | None
    current_schema_version: Uuid | None
    created_by_run: Run | None
    facets: msgspec.Raw
    dataset_version: str | None  # as the version facet says it, such as an Iceberg snapshot id
    schema_location: str | msgspec.UnsetType = msgspec.UNSET


class DatasetVersions(Struct, rename="camel", gc=False):
    """A page of versions."""

    versions: list[DatasetVersion]
    total_count: int


def get_versions(call: Call, db: Connection) -> DatasetVersions:
    limit, offset = page(call)
    row = existing_dataset(db, call.path["namespace"], call.path["dataset"])
    members = nodes(db, [row.root_id])[row.root_id].members
    total = count_versions(db, members)
    if total == 0:
        # Nothing is known to have written it; Marquez still counts what readers saw as one version.
        return DatasetVersions(_show(db, row, members, [None])[offset : offset + limit], 1)
    return DatasetVersions(_show(db, row, members, list_versions(db, members, limit, offset)), total)


def get_version(call: Call, db: Connection) -> DatasetVersion:
    wanted = path_uuid(call, "version")
    row = existing_dataset(db, call.path["namespace"], call.path["dataset"])
    found = find_version(db, row, wanted)
    if found is None:
        raise not_found("Dataset version", wanted)
    members, version = found
    return _show(db, row, members, [version])[0]


def find_version(db: Connection, row: DatasetRow, wanted: Uuid) -> tuple[list[int], VersionRow | None] | None:
    """The rows of the node, and the write with that UUID, which is None for the state that nobody wrote."""
    members = nodes(db, [row.root_id])[row.root_id].members
    versions: list[VersionRow | None] = [*list_versions(db, members)] or [None]
    names = datasets_by_id(db, members)
    for version in versions:
        if current_version(row, version, names) == wanted:
            return members, version
    return None


def _show(
    db: Connection, row: DatasetRow, members: list[int], versions: Sequence[VersionRow | None]
) -> list[DatasetVersion]:
    roots = dict.fromkeys(members, row.root_id)
    names = datasets_by_id(db, members)
    written = [version for version in versions if version is not None]
    tags = merged_tags(tags_on(db, DATASET, roots), members)
    runs = show_runs(db, runs_by_id(db, {v.run_id for v in written if v.run_id}).values())
    facets = dataset_facets(db, roots).get(row.root_id)
    then = facets_when_written(db, {(names[v.dataset_id], v.run_id): v.last_at for v in written if v.run_id})
    hashes = schemas_of(db, members, written)
    known = schemas(db, hashes.values())
    now = current_schemas(db, roots).get(row.root_id)
    return [
        _one(
            row,
            current_version(row, version, names),
            version,
            known.get(hashes.get(version, b"")) if version else now,
            tags,
            runs.get(version.run_id) if version else None,
            then.get((version.dataset_id, version.run_id), {}) if version and version.run_id else facets,
            facets,
        )
        for version in versions
    ]


def _one(
    row: DatasetRow,
    uuid: Uuid,
    version: VersionRow | None,
    schema: Schema | None,
    tags: Mapping[str, list[str]],
    run: Run | None,
    facets: Facets | None,
    current: Facets | None,
) -> DatasetVersion:
    said = registered(current)
    return DatasetVersion(
        id=VersionId(row.namespace, row.name, uuid),
        type=said.type,
        name=row.name,
        physical_name=said.physical_name or row.root_name,
        created_at=moment(version.first_at if version else row.created_at),
        version=uuid,
        namespace=row.namespace,
        source_name=source_name(current, said),
        fields=shown_fields(schema, tags, facets, current),
        tags=tags.get("", []),
        lifecycle_state=version.lifecycle if version else None,
        description=description_of(facets) or description_of(current),
        current_schema_version=stable_uuid("schema", schema.hash.hex()) if schema else None,
        created_by_run=run,
        facets=raw_facets(facets),
        dataset_version=(version.version or None) if version else None,
        schema_location=(said.schema_location or "") if said.type == STREAM else msgspec.UNSET,
    )


VERSIONS_PATH = "/api/v1/namespaces/{namespace}/datasets/{dataset}/versions"
ROUTES = (
    Route(
        "GET",
        VERSIONS_PATH,
        get_versions,
        "List the versions of a dataset, one for each write, newest first",
        (LIMIT, OFFSET),
        answer=DatasetVersions,
        tag="Datasets",
    ),
    Route(
        "GET",
        f"{VERSIONS_PATH}/{{version}}",
        get_version,
        "Read a version of a dataset",
        answer=DatasetVersion,
        tag="Datasets",
    ),
)
