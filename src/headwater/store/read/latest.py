"""Which jobs were heard of last."""

from sqlalchemy import Connection, exists, select

from headwater.store.read.lists import visible
from headwater.store.tables import edge, job


def latest_jobs(db: Connection, limit: int, at: int | None = None) -> list[int]:
    """Jobs that use a dataset, the last heard of first; with `at`, of those known then. Any jobs, if none uses one."""
    query = select(job.c.id).where(visible(job)).order_by(job.c.updated_at.desc(), job.c.id.desc()).limit(limit)
    if at is not None:
        query = query.where(job.c.created_at <= at)
    used = exists().where(edge.c.job_id == job.c.id)
    if at is None:
        used = used.where(edge.c.current)
    return list(db.execute(query.where(used)).scalars()) or list(db.execute(query).scalars())
