"""The search box of Marquez's newer web app: the best ten, with what matched marked in them."""

import msgspec
from msgspec import Struct
from sqlalchemy import Connection

from headwater.server.http import Call, Param, Route
from headwater.server.marquez.answers import invalid
from headwater.server.marquez.ids import Uuid, uuid_text
from headwater.store.read.datasets import find_dataset, member_roots, nodes
from headwater.store.read.facets import dataset_facets, facets_of, raw_facets
from headwater.store.read.jobs import find_job
from headwater.store.read.runs import runs_by_id
from headwater.store.read.search import Match, find
from headwater.store.tables import JOB, RUN

BEST = 10
EVENT_TYPES = {"RUNNING": "RUNNING", "COMPLETED": "COMPLETE", "FAILED": "FAIL", "ABORTED": "ABORT", "LOST": "ABORT"}


class JobHit(Struct, gc=False):
    """A job that was found, with its latest run."""

    run_id: Uuid | None
    name: str
    namespace: str
    eventType: str
    type: str
    facets: msgspec.Raw
    runFacets: msgspec.Raw


class DatasetHit(Struct, gc=False):
    """A dataset that was found, by its name or a column's."""

    run_id: Uuid | None
    name: str
    namespace: str
    eventType: str
    facets: msgspec.Raw


class JobHits(Struct, gc=False):
    """Jobs, and for each what matched."""

    hits: list[JobHit]
    highlights: list[dict[str, list[str]]]


class DatasetHits(Struct, gc=False):
    """Datasets, and for each what matched."""

    hits: list[DatasetHit]
    highlights: list[dict[str, list[str]]]


def get_jobs(call: Call, db: Connection) -> JobHits:
    query = _query(call)
    answer = JobHits([], [])
    for match in find(db, query, ["job"])[:BEST]:
        row = find_job(db, match.namespace, match.name)
        if row is None:
            continue
        runs = runs_by_id(db, [row.latest_run_id] if row.latest_run_id is not None else [])
        run = next(iter(runs.values()), None)
        said = facets_of(db, RUN, runs)
        answer.hits.append(
            JobHit(
                uuid_text(run.uuid) if run else None,
                row.name,
                row.namespace,
                EVENT_TYPES.get(run.state, "START") if run else "START",
                "BATCH",
                raw_facets(facets_of(db, JOB, [row.id]).get(row.id)),
                raw_facets(said.get(run.id)) if run else raw_facets(None),
            )
        )
        answer.highlights.append({"name": [_marked(row.name, query)]})
    return answer


def get_datasets(call: Call, db: Connection) -> DatasetHits:
    query = _query(call)
    best: dict[tuple[str, str], list[Match]] = {}
    for match in find(db, query, ["dataset", "column"]):
        if (match.namespace, match.name) in best or len(best) < BEST:
            best.setdefault((match.namespace, match.name), []).append(match)
    answer = DatasetHits([], [])
    for (namespace, name), matches in best.items():
        row = find_dataset(db, namespace, name)
        if row is None:
            continue
        facets = dataset_facets(db, member_roots(nodes(db, [row.root_id])), ["schema", "columnLineage"], inputs=False)
        answer.hits.append(DatasetHit(None, name, namespace, "COMPLETE", raw_facets(facets.get(row.root_id))))
        marked: dict[str, list[str]] = {}
        for match in matches:
            key = "facets.schema.fields.name" if match.column else "name"
            marked.setdefault(key, []).append(_marked(match.column or match.name, query))
        answer.highlights.append(marked)
    return answer


def _query(call: Call) -> str:
    query = call.first("q")
    if query is None or not query.strip():
        raise invalid("query param q must not be blank")
    return query


def _marked(text: str, query: str) -> str:
    start = text.lower().find(query.strip().lower())
    if start < 0:
        return text
    end = start + len(query.strip())
    return f"{text[:start]}<em>{text[start:end]}</em>{text[end:]}"


Q = (Param("q", str, required=True, help="part of a name"),)
ROUTES = (
    Route("GET", "/api/v2beta/search/jobs", get_jobs, "Find jobs", Q, answer=JobHits, tag="Search"),
    Route("GET", "/api/v2beta/search/datasets", get_datasets, "Find datasets", Q, answer=DatasetHits, tag="Search"),
)
