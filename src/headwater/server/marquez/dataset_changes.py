"""Writing datasets: PUT, soft delete and tags. A PUT becomes an OpenLineage event, as if an agent had sent it."""

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.openlineage.events import Event, encode_event, format_time
from headwater.server.http import Call, HttpError, Route
from headwater.server.marquez.answers import invalid, read_body, uuid_or_404
from headwater.server.marquez.datasets import (
    MARQUEZ_DATASET,
    STREAM,
    TABLE,
    Dataset,
    Registered,
    dataset_of,
    existing_dataset,
)
from headwater.server.marquez.ids import Uuid
from headwater.server.marquez.namespaces import existing_namespace, hide
from headwater.server.marquez.runs import existing_run
from headwater.server.marquez.sources import existing_source
from headwater.server.marquez.tags import add_tags, remove_tag
from headwater.store.read.datasets import DatasetRow, has_field, nodes
from headwater.store.read.jobs import JobRow, jobs_by_id
from headwater.store.read.sources import SourceRow
from headwater.store.tables import DATASET, dataset


class NewField(Struct, gc=False):
    """What a client says of a column."""

    name: str
    type: str | None = None
    description: str | None = None
    tags: list[str] | None = None


class NewDataset(Struct, rename="camel", gc=False):
    """What a client says of a dataset."""

    type: str
    physical_name: str
    source_name: str
    fields: list[NewField] | None = None
    tags: list[str] | None = None
    description: str | None = None
    schema_location: str | None = None
    run_id: str | None = None


async def put_dataset(call: Call) -> Dataset:
    namespace, name, new = call.path["namespace"], call.path["dataset"], read_body(call, NewDataset)
    if new.type not in (TABLE, STREAM):
        raise invalid(f"type must be one of {TABLE}, {STREAM}, but is {new.type!r}", 422)
    if new.type == STREAM and not new.schema_location:
        raise invalid("schemaLocation must not be null for a STREAM", 422)
    run = uuid_or_404(new.run_id) if new.run_id else None
    source, job = await call.read(_check, namespace, new, run)
    await call.writer.write([dataset_event(namespace, name, new, source, run, job, call.clock())])
    fields = {field.name: [tag.upper() for tag in field.tags] for field in new.fields or () if field.tags}
    if new.tags or fields:
        row = await call.read(existing_dataset, namespace, name)
        tags = {"": new.tags or [], **fields}
        await call.writer.run(lambda db: _add_all(db, row.id, tags, call.clock()))
    return await call.read(dataset_of, namespace, name)


def _check(db: Connection, namespace: str, new: NewDataset, run: Uuid | None) -> tuple[SourceRow, JobRow | None]:
    existing_namespace(db, namespace)
    job_id = existing_run(db, run).job_id if run is not None else None
    job = jobs_by_id(db, [job_id]).get(job_id) if job_id is not None else None
    return existing_source(db, new.source_name), job


def _add_all(db: Connection, id: int, tags: dict[str, list[str]], now: int) -> None:
    for field, names in tags.items():
        add_tags(db, DATASET, id, field, names, now)


def dataset_event(
    namespace: str,
    name: str,
    new: NewDataset,
    source: SourceRow,
    run: Uuid | None,
    job: JobRow | None,
    now: int,
) -> Event:
    """The event that says the same: a DatasetEvent, or a RunEvent when a run is known to have written it."""
    said = Registered(new.type, new.physical_name, new.source_name, new.schema_location)
    facets: dict[str, object] = {
        "dataSource": {"name": source.name, "uri": source.url},
        MARQUEZ_DATASET: msgspec.to_builtins(said),
    }
    if new.fields:
        facets["schema"] = {
            "fields": [{"name": f.name, "type": f.type, "description": f.description} for f in new.fields]
        }
    if new.description:
        facets["documentation"] = {"description": new.description}
    one = {"namespace": namespace, "name": name, "facets": facets}
    event: dict[str, object] = {"eventTime": format_time(now)}
    if run is None or job is None:
        return encode_event({**event, "dataset": one})
    return encode_event(
        {
            **event,
            "eventType": "OTHER",
            "run": {"runId": str(run)},
            "job": {"namespace": job.namespace, "name": job.name},
            "outputs": [one],
        }
    )


async def delete_dataset(call: Call) -> Dataset:
    namespace, name = call.path["namespace"], call.path["dataset"]
    shown = await call.read(dataset_of, namespace, name)
    row = await call.read(existing_dataset, namespace, name)
    # All names of the node: hiding one of them would leave it in every list under another.
    await call.writer.run(lambda db: hide(db, dataset, dataset.c.root_id == row.root_id, call.clock()))
    return shown


async def post_tag(call: Call) -> Dataset:
    return await _tag(call, "")


async def post_field_tag(call: Call) -> Dataset:
    return await _tag(call, call.path["field"])


async def delete_tag(call: Call) -> Dataset:
    return await _untag(call, "")


async def delete_field_tag(call: Call) -> Dataset:
    return await _untag(call, call.path["field"])


async def _tag(call: Call, field: str) -> Dataset:
    row, _ = await call.read(_tagged, call.path["namespace"], call.path["dataset"], field)
    tag = _tag_name(call, field)
    await call.writer.run(lambda db: add_tags(db, DATASET, row.id, field, [tag], call.clock()))
    return await call.read(dataset_of, row.namespace, row.name)


async def _untag(call: Call, field: str) -> Dataset:
    row, members = await call.read(_tagged, call.path["namespace"], call.path["dataset"], field)
    tag = _tag_name(call, field)
    await call.writer.run(lambda db: remove_tag(db, DATASET, members, field, tag))
    return await call.read(dataset_of, row.namespace, row.name)


def _tag_name(call: Call, field: str) -> str:
    """The tag in the path; of columns, as in Marquez, in capitals."""
    tag = call.path["tag"]
    if not tag:
        raise HttpError(404, "the path has no tag; expected …/tags/{tag}")
    return tag.upper() if field else tag


def _tagged(db: Connection, namespace: str, name: str, field: str) -> tuple[DatasetRow, list[int]]:
    row = existing_dataset(db, namespace, name)
    members = nodes(db, [row.root_id])[row.root_id].members
    if field and not has_field(db, members, field):
        raise HttpError(404, f"Field '{field}' not found for dataset '{name}'.")
    return row, members


PATH = "/api/v1/namespaces/{namespace}/datasets/{dataset}"
ROUTES = (
    Route(
        "PUT",
        PATH,
        put_dataset,
        "Create or change a dataset",
        body=NewDataset,
        answer=Dataset,
        tag="Datasets",
    ),
    Route(
        "DELETE",
        PATH,
        delete_dataset,
        "Hide a dataset until it is mentioned again",
        answer=Dataset,
        tag="Datasets",
    ),
    Route("POST", f"{PATH}/tags/{{tag}}", post_tag, "Tag a dataset", answer=Dataset, tag="Datasets"),
    Route(
        "DELETE",
        f"{PATH}/tags/{{tag}}",
        delete_tag,
        "Take a tag off a dataset",
        answer=Dataset,
        tag="Datasets",
    ),
    Route(
        "POST",
        f"{PATH}/fields/{{field}}/tags/{{tag}}",
        post_field_tag,
        "Tag a column",
        answer=Dataset,
        tag="Datasets",
    ),
    Route(
        "DELETE",
        f"{PATH}/fields/{{field}}/tags/{{tag}}",
        delete_field_tag,
        "Take a tag off a column",
        answer=Dataset,
        tag="Datasets",
    ),
)
