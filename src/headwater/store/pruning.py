"""Forgetting history: what is older than a time goes, what lineage is now stays."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from headwater.store.database import Database
from headwater.store.session import Session, open_session
from headwater.store.tables import INPUT_FACET, OUTPUT_FACET, RUN

_CHUNK = 5_000  # rows a transaction, so that senders never wait long


class Pruned(NamedTuple):
    """How much of each kind was, or would be, forgotten."""

    events: int
    runs: int
    diagnostics: int


# A run stays while its job's edges or state, or a dataset's newest write, come from it, or while it has children.
_OLD_RUNS = """
    SELECT run.id FROM run
    WHERE run.updated_at < ?
      AND NOT EXISTS (SELECT 1 FROM job WHERE job.latest_run_id = run.id AND job.id = run.job_id)
      AND NOT EXISTS (SELECT 1 FROM job WHERE job.edges_run_id = run.id AND job.id = run.job_id)
      AND NOT EXISTS (SELECT 1 FROM io JOIN version ON version.dataset_id = io.dataset_id AND version.run_id = io.run_id
                      WHERE io.run_id = run.id AND NOT EXISTS (SELECT 1 FROM version AS newer
                          WHERE newer.dataset_id = version.dataset_id AND newer.last_at > version.last_at))
      AND NOT EXISTS (SELECT 1 FROM run AS child WHERE child.parent_id = run.id)
      AND NOT EXISTS (SELECT 1 FROM run AS child WHERE child.root_id = run.id)
"""

# What a dataset looks like now is its newest schema and its newest write, whichever run they came from.
_OF_RUNS = (
    "DELETE FROM io WHERE run_id IN",
    "DELETE FROM lease WHERE run_id IN",
    "DELETE FROM version WHERE last_at < (SELECT MAX(newer.last_at) FROM version AS newer "
    "WHERE newer.dataset_id = version.dataset_id) AND run_id IN",
    f"DELETE FROM facet WHERE kind IN ({RUN}, {INPUT_FACET}, {OUTPUT_FACET}) AND owner_id IN",
    "DELETE FROM run WHERE id IN",
)

# Then whatever nothing points at any more.
_ORPHANS = (
    "DELETE FROM edge WHERE NOT current AND NOT EXISTS (SELECT 1 FROM run JOIN io ON io.run_id = run.id "
    "WHERE run.job_id = edge.job_id AND io.direction = edge.direction AND io.dataset_id = edge.dataset_id)",
    "DELETE FROM claim WHERE NOT current AND last_at < ?",
    "DELETE FROM mapping WHERE NOT EXISTS (SELECT 1 FROM claim WHERE claim.mapping_id = mapping.id)",
    "DELETE FROM mapping_edge WHERE NOT EXISTS (SELECT 1 FROM mapping WHERE mapping.id = mapping_edge.mapping_id)",
    "DELETE FROM dataset_schema WHERE last_at < ? AND EXISTS (SELECT 1 FROM dataset_schema AS newer "
    "WHERE newer.dataset_id = dataset_schema.dataset_id AND newer.last_at > dataset_schema.last_at "
    "AND newer.written >= dataset_schema.written)",
    "DELETE FROM schema WHERE NOT EXISTS (SELECT 1 FROM dataset_schema WHERE dataset_schema.schema = schema.hash) "
    "AND NOT EXISTS (SELECT 1 FROM version WHERE version.schema = schema.hash)",
    "DELETE FROM blob WHERE NOT EXISTS (SELECT 1 FROM facet WHERE facet.hash = blob.hash)",
)


def prune(
    database: Database,
    before: int,
    *,
    dry_run: bool = False,
    progress: Callable[[str, int], None] = lambda *_: None,
) -> Pruned:
    """Forget events, finished runs and diagnostics older than `before` (microseconds); current lineage stays.

    Works beside a running server: each step is a short transaction, after which other writers read anew.
    """
    session = open_session(database)
    try:
        if dry_run:
            return _count(session, before)
        events = _delete(session, "event", "event_time", before, progress)
        diagnostics = _delete(session, "diagnostic", "at", before, progress)
        runs = 0
        while removed := _prune_runs(session, before):
            session.commit()
            runs += removed
            progress("runs", removed)
        session.rollback()
        for statement in _ORPHANS:
            session.begin()
            session.execute(statement, [(before,) if "?" in statement else ()])
            session.commit()
        return Pruned(events, runs, diagnostics)
    finally:
        session.rollback()
        session.close()


def _count(session: Session, before: int) -> Pruned:
    def count(query: str) -> int:
        return int(session.rows(f"SELECT COUNT(*) FROM ({query}) AS old", (before,))[0][0])

    events, diagnostics = (
        count("SELECT id FROM event WHERE event_time < ?"),
        count("SELECT id FROM diagnostic WHERE at < ?"),
    )
    runs = 0
    session.rollback()
    session.begin()
    while removed := _delete_runs(
        session, before
    ):  # a parent goes once its children have; the only way to know is to try
        runs += removed
    session.rollback()
    return Pruned(events, runs, diagnostics)


def _delete(session: Session, table: str, column: str, before: int, progress: Callable[[str, int], None]) -> int:
    total = 0
    while True:
        session.begin()
        _keep_highest(session, table)
        old = session.rows(f"SELECT id FROM {table} WHERE {column} < ? ORDER BY {column} LIMIT {_CHUNK}", (before,))
        session.execute(f"DELETE FROM {table} WHERE id = ?", old)
        session.commit()
        progress(table + "s", len(old))
        total += len(old)
        if len(old) < _CHUNK:
            return total


def _keep_highest(session: Session, table: str) -> None:
    """An id is never given twice, even if the row that had it is gone: clients keep their place by it."""
    highest = session.rows(f"SELECT COALESCE(MAX(id), 0) FROM {table}")[0][0]
    stored = session.rows("SELECT value FROM meta WHERE key = ?", (f"highest:{table}",))
    if not stored or int(stored[0][0]) < highest:
        upsert = "INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        session.execute(upsert, [(f"highest:{table}", str(highest))])


def _prune_runs(session: Session, before: int) -> int:
    session.begin()
    return _delete_runs(session, before)


def _delete_runs(session: Session, before: int) -> int:
    _keep_highest(session, "run")
    ids = [row[0] for row in session.rows(f"{_OLD_RUNS} LIMIT {_CHUNK}", (before,))]
    if ids:
        for statement in _OF_RUNS:
            session.delete_in(statement, ids)
    return len(ids)
