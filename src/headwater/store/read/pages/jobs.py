"""Pages of jobs, each with its latest runs in short."""

from collections.abc import Collection
from typing import Any

from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, func, or_, select

from headwater.store.read.facets import facets_of, read_facet
from headwater.store.read.lists import visible
from headwater.store.read.nodes import JobType
from headwater.store.read.pages.keyset import (
    Key,
    Order,
    Place,
    Rows,
    count_of,
    namespace_ids,
    namespaces_like,
    page_of,
)
from headwater.store.tables import JOB, JOB_TYPES, facet, job, run, tagging

KEYS = {
    "updated": Key(job.c.updated_at, int),
    "name": Key(job.c.name, str),
    "started": Key(func.coalesce(run.c.started_at, -1), int),
    "duration": Key(func.coalesce(func.coalesce(run.c.ended_at, run.c.updated_at) - run.c.started_at, -1), int),
}

MOST_TYPES = 200  # that are looked at; there are as many as integrations have ways to describe themselves


class JobFilter(Struct, frozen=True):
    """Which jobs; what is None does not matter. Words of a job type are compared without case."""

    text: str | None = None
    namespace: str | None = None
    states: Collection[str] | None = None
    processing: str | None = None
    engine: str | None = None
    tag: str | None = None


def job_page(db: Connection, wanted: JobFilter, order: Order, after: Place | None, limit: int) -> Rows:
    """A page of the jobs that are wanted."""
    return page_of(db, _wanted(db, wanted, order.by in ("started", "duration")), job.c.id, KEYS, order, after, limit)


def count_jobs(db: Connection, wanted: JobFilter) -> int:
    """How many jobs are wanted."""
    return count_of(db, _wanted(db, wanted, False))


def _wanted(db: Connection, wanted: JobFilter, with_runs: bool) -> Select[Any]:
    statement = select(job.c.id).where(visible(job))
    if with_runs or wanted.states is not None:
        statement = statement.outerjoin(run, run.c.id == job.c.latest_run_id)
    if wanted.states is not None:
        statement = statement.where(run.c.state.in_(wanted.states))
    if wanted.namespace is not None:
        statement = statement.where(job.c.namespace_id.in_(namespace_ids(db, wanted.namespace)))
    if wanted.tag is not None:
        tagged = select(tagging.c.owner_id).where(tagging.c.kind == JOB, tagging.c.tag == wanted.tag)
        statement = statement.where((job.c.id + 0).in_(tagged))
    if wanted.text is not None:
        statement = statement.where(named_like(db, wanted.text))
    if wanted.processing is not None or wanted.engine is not None:
        # An expression, lest SQLite sort every job of a common type for one page.
        statement = statement.where((job.c.id + 0).in_(_of_type(db, wanted.processing, wanted.engine)))
    return statement


def named_like(db: Connection, text: str) -> ColumnElement[bool]:
    """Jobs that have a text in their name or their namespace."""
    return or_(job.c.name.icontains(text, autoescape=True), job.c.namespace_id.in_(namespaces_like(db, text)))


def job_types(db: Connection) -> dict[bytes, JobType]:
    """Every type that some job has, by the hash of the facet that says so."""
    # Jobs of one type share the content of the facet: the index is asked for each in turn, and one of each is read.
    after = select(facet.c.hash, facet.c.owner_id).where(JOB_TYPES).order_by(facet.c.hash, facet.c.owner_id).limit(1)
    owners: dict[int, bytes] = {}
    found = db.execute(after).first()
    while found is not None and len(owners) < MOST_TYPES:
        owners[found.owner_id] = bytes(found.hash)
        found = db.execute(after.where(facet.c.hash > found.hash)).first()
    bodies = facets_of(db, JOB, owners, ["jobType"])
    types = {hash: read_facet(bodies.get(owner), "jobType", JobType) for owner, hash in owners.items()}
    return {hash: type for hash, type in types.items() if type is not None}


def _of_type(db: Connection, processing: str | None, engine: str | None) -> Select[int]:
    def fits(said: str | None, asked: str | None) -> bool:
        return asked is None or (said is not None and said.lower() == asked.lower())

    hashes = [
        hash
        for hash, type in job_types(db).items()
        if fits(type.processingType, processing) and fits(type.integration, engine)
    ]
    return select(facet.c.owner_id).where(JOB_TYPES, facet.c.hash.in_(hashes))
