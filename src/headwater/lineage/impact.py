"""Everything downstream of a node, with who answers for it."""

import csv
import io
from collections.abc import Iterable

from msgspec import Struct
from sqlalchemy import Connection

from headwater.lineage.graph import dataset_ref, job_ref, walk, walk_column
from headwater.openlineage.node_ids import Kind, canonical
from headwater.store.read import nodes as read
from headwater.store.read.datasets import member_roots, nodes
from headwater.store.read.facets import Facets, dataset_facets, facets_of, read_facet
from headwater.store.read.graph import Now
from headwater.store.read.names import Found
from headwater.store.tables import JOB


class Owner(Struct, omit_defaults=True):
    """Who answers for a job or dataset, as its ownership facet says."""

    name: str
    type: str | None = None


class Ownership(Struct):
    """The ownership facet."""

    owners: list[Owner] = []


class Affected(Struct, omit_defaults=True):
    """Something downstream, how many jobs away, and its owners."""

    id: str
    kind: str
    namespace: str
    name: str
    distance: int
    owners: list[Owner] = []
    state: str | None = None


class Impact(Struct):
    """What depends on a node, nearest first."""

    node: str
    affected: list[Affected]
    truncated: bool


def impact(db: Connection, start: Found, depth: int, limit: int) -> Impact:
    """What a change of a job, a dataset or one of its columns can reach."""
    view = Now(db)
    if start.kind is Kind.FIELD:
        around, _ = walk_column(view, start.root_id, start.column, "down", depth, limit)
    else:
        ref = job_ref(start.id) if start.kind is Kind.JOB else dataset_ref(start.root_id)
        around = walk(view, ref, "down", depth, limit)
    below = list(around.nodes)[1:]
    jobs = read.jobs(db, [ref.id for ref in below if ref.kind == "job"])
    datasets = read.datasets(db, [ref.id for ref in below if ref.kind == "dataset"])
    job_facets = facets_of(db, JOB, jobs, ["ownership"])
    facets = dataset_facets(db, member_roots(nodes(db, datasets)), ["ownership"], inputs=False)
    affected = []
    for ref in below:
        info = jobs[ref.id] if ref.kind == "job" else datasets[ref.id]
        found = (job_facets if ref.kind == "job" else facets).get(ref.id)
        one = Affected(
            canonical(ref.kind, info.namespace, info.name),
            ref.kind,
            info.namespace,
            info.name,
            around.nodes[ref],
            owners_in(found),
        )
        if isinstance(info, read.JobInfo):
            one.state = info.state
        affected.append(one)
    return Impact(start.node_id, affected, around.truncated)


def owners_in(facets: Facets | None) -> list[Owner]:
    """The owners that some facets name."""
    ownership = read_facet(facets, "ownership", Ownership)
    return ownership.owners if ownership else []


def as_csv(affected: Iterable[Affected]) -> str:
    """One line for each thing affected, for a spreadsheet."""
    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(("kind", "namespace", "name", "distance", "owners", "state"))
    for one in affected:
        names = "; ".join(owner.name for owner in one.owners)
        cells = (one.kind, one.namespace, one.name, one.distance, names, one.state or "")
        table.writerow([_plain(cell) for cell in cells])
    return text.getvalue()


def _plain(cell: object) -> str:
    """A name that a spreadsheet would run as a formula is marked as text."""
    text = str(cell)
    return f"'{text}" if text[:1] in "=+-@\t\r" and text else text
