"""What follows from the facts once a batch is written: current edges, one node a dataset, current claims."""

from __future__ import annotations

from headwater.store.batch import Batch
from headwater.store.memory import JobState, Memory, RunState, Stamp
from headwater.store.session import Session
from headwater.store.tables import EXPLICIT

EdgeRows = dict[tuple[int, int, int], bool]


def settle_edges(batch: Batch, memory: Memory, session: Session) -> EdgeRows:
    """Each touched job's latest run and current edges; returns the edge rows that changed."""
    changed: EdgeRows = {}
    for job_id, run_ids in batch.touched.items():
        job = memory.job_by_id(job_id)
        batch.jobs[job_id] = job
        before = job.current
        runs = [memory.runs_by_id[run_id] for run_id in run_ids]
        if any(run.moved and (run.job_id != job_id or run.id in (job.latest_run_id, job.edges_run_id)) for run in runs):
            _settle_from_store(job, session)
        runs = [run for run in runs if run.job_id == job_id]
        for run in runs:
            _advance(job, run)
        fresh = {edge for run in runs for edge in run.io if edge not in job.known} | (before ^ job.current)
        job.known |= fresh
        for edge in fresh:
            changed[job_id, *edge] = edge in job.current
    return changed


def _advance(job: JobState, run: RunState) -> None:
    """Take `run` into account where it is, or has become, the newest."""
    stamp = _stamp(run)
    if not run.declared and (job.latest_stamp is None or stamp >= job.latest_stamp):
        job.latest_stamp, job.latest_run_id = stamp, run.id
    if run.io and (job.edges_stamp is None or stamp >= job.edges_stamp):
        job.edges_stamp, job.edges_run_id = stamp, run.id
        if run.io.keys() != job.current:
            job.current = set(run.io)


def _settle_from_store(job: JobState, session: Session) -> None:
    """A run's start moved back, or a run changed jobs: ask which is the newest now."""
    newest = "SELECT id, started_at, uuid FROM run WHERE job_id = ? AND {} ORDER BY started_at DESC, uuid DESC LIMIT 1"
    latest = session.rows(newest.format("started_at IS NOT NULL AND NOT declared"), (job.id,))
    edges = session.rows(newest.format("named_at IS NOT NULL"), (job.id,))
    job.latest_run_id, job.latest_stamp = (latest[0][0], _stamp_of(latest[0])) if latest else (None, None)
    job.edges_run_id, job.edges_stamp = (edges[0][0], _stamp_of(edges[0])) if edges else (None, None)
    io = session.rows("SELECT direction, dataset_id FROM io WHERE run_id = ?", (job.edges_run_id,)) if edges else []
    job.current = {(direction, dataset_id) for direction, dataset_id in io}


def _stamp(run: RunState) -> Stamp:
    assert run.started_at is not None, "a run that an event touched has started"
    return run.started_at, run.uuid


def _stamp_of(row: tuple[int, int, bytes]) -> Stamp:
    return row[1], bytes(row[2])


# -- symlinks --------------------------------------------------------------------------------------


def settle_roots(batch: Batch, session: Session) -> None:
    """Give all names of one dataset the same root, whichever of them was known first."""
    done: set[int] = set()
    for dataset_id, _ in batch.symlinks:
        if dataset_id in done:
            continue
        links = _component(dataset_id, session)
        members = {member for link in links for member in link}
        done |= members
        root = _root(members, links, session)
        session.execute("UPDATE dataset SET root_id = ? WHERE id = ?", [(root, member) for member in members])


def _component(start: int, session: Session) -> set[tuple[int, int]]:
    links: set[tuple[int, int]] = set()
    seen, frontier = {start}, [start]
    while frontier:
        found = session.rows_in("SELECT dataset_id, target_id FROM symlink WHERE dataset_id IN", frontier)
        found += session.rows_in("SELECT dataset_id, target_id FROM symlink WHERE target_id IN", frontier)
        links |= {(source, target) for source, target in found}
        frontier = [id for id in {id for link in found for id in link} if id not in seen]
        seen.update(frontier)
    return links


def _root(members: set[int], links: set[tuple[int, int]], session: Session) -> int:
    """The physical name: one that declares aliases and is nobody's alias; then the first by name."""
    targets = {target for _, target in links}
    names = session.rows_in(
        "SELECT dataset.id, namespace.name, dataset.name FROM dataset "
        "JOIN namespace ON namespace.id = dataset.namespace_id WHERE dataset.id IN",
        [*members],
    )
    return int(min(names, key=lambda row: (row[0] in targets, row[1], row[2]))[0])


# -- claims ----------------------------------------------------------------------------------------


def settle_claims(batch: Batch, memory: Memory, session: Session) -> None:
    """Mark which claim of each job on each dataset holds now."""
    pairs: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for job_id, dataset_id, kind, mapping_id in batch.claims:
        pairs.setdefault((job_id, dataset_id), []).append((kind, mapping_id))
    for pair, made in pairs.items():
        if [memory.sole_claims.get(pair)] == made:
            continue
        rows = session.rows(
            "SELECT claim.kind, claim.mapping_id, claim.last_at, claim.run, mapping.hash, claim.current "
            "FROM claim JOIN mapping ON mapping.id = claim.mapping_id WHERE job_id = ? AND dataset_id = ?",
            pair,
        )
        claims = [(row[0], row[1], row[2], bytes(row[3]), bytes(row[4]), bool(row[5])) for row in rows]
        newest = max(claims, key=lambda claim: (claim[2], claim[3], claim[0], claim[4]))
        same_run = [claim for claim in claims if claim[3] == newest[3]]
        holds = max(same_run, key=lambda claim: (claim[0] == EXPLICIT, claim[2], claim[4]))
        session.execute(
            "UPDATE claim SET current = ? WHERE job_id = ? AND dataset_id = ? AND kind = ? AND mapping_id = ?",
            [(claim is holds, *pair, claim[0], claim[1]) for claim in claims if claim[5] != (claim is holds)],
        )
        if len(claims) == 1:
            memory.sole_claims[pair] = made[0]
        else:
            memory.sole_claims.pop(pair, None)
