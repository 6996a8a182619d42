"""What may be amiss with the graph itself, where every event was fine: worth a look, each with what to do."""

from collections.abc import Iterable

from msgspec import Struct
from sqlalchemy import Connection

from headwater.lineage.lookalikes import lookalikes
from headwater.openlineage.events import format_time
from headwater.openlineage.node_ids import Kind, canonical
from headwater.server.http import Call, Param, Route
from headwater.store.read.findings import NamedJob, QuietJob, jobs_without, newest_datasets, quiet_jobs

SECONDS = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))


class Finding(Struct):
    """Something worth a look: its kind, the nodes, and what to do. `since` is when they were last heard of."""

    kind: str
    nodes: list[str]
    message: str
    since: str | None = None


class Findings(Struct):
    """What was found, at most `limit` of each kind."""

    findings: list[Finding]


def get_findings(call: Call, db: Connection) -> Findings:
    """What may be amiss with the graph."""
    limit: int = call.get("limit")
    found = [
        *_two_names(db, limit),
        *_without(jobs_without(db, False, False, limit), "no-datasets", "no inputs and no outputs"),
        *_without(jobs_without(db, False, True, limit), "no-inputs", "outputs but no inputs"),
        *_without(jobs_without(db, True, False, limit), "no-outputs", "inputs but no outputs"),
        *(_quiet(one, call.clock()) for one in quiet_jobs(db, call.clock(), limit)),
    ]
    return Findings(found)


def _two_names(db: Connection, limit: int) -> Iterable[Finding]:
    groups = lookalikes(((space, name), space, name) for space, name in newest_datasets(db))
    message = (
        "these look like one dataset under several names; give the producers one address, "
        "or send a symlinks facet that joins the names"
    )
    return [
        Finding("two-names", sorted(canonical(Kind.DATASET, *name) for name in group), message)
        for group in groups[:limit]
    ]


def _without(jobs: Iterable[NamedJob], kind: str, what: str) -> Iterable[Finding]:
    for job in jobs:
        message = f"it has {what}; if it should have, see whether its agent reports datasets"
        yield Finding(kind, [_id(job)], message, format_time(job.updated_at))


def _quiet(quiet: QuietJob, now: int) -> Finding:
    silence = _long(now - quiet.job.updated_at)
    if quiet.usual is None:
        message = f"its run is open but has said nothing for {silence}; see whether its process still lives"
    else:
        message = f"not heard of for {silence}, usually starts every {_long(quiet.usual)}; see its scheduler"
    return Finding("quiet", [_id(quiet.job)], message, format_time(quiet.job.updated_at))


def _id(job: NamedJob) -> str:
    return canonical(Kind.JOB, job.namespace, job.name)


def _long(microseconds: int) -> str:
    """A length of time in its greatest unit."""
    seconds = microseconds // 1_000_000
    unit, size = next(((unit, size) for unit, size in SECONDS if seconds >= size), ("s", 1))
    return f"{seconds // size} {unit}"


ROUTES = (
    Route(
        "GET",
        "/api/v2/diagnostics/findings",
        get_findings,
        "what may be amiss with the graph: one thing under two names, jobs without datasets, jobs gone quiet",
        params=(Param("limit", int, 100, minimum=1, maximum=1000, help="findings of each kind at most"),),
        answer=Findings,
        tag="diagnostics",
    ),
)
