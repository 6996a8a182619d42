"""Lists: runs by their start, names in order, jobs by their type"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

JOB_TYPES = sa.text("name = 'jobType'")


def upgrade() -> None:
    op.create_index("run_started", "run", ["started_at", "id"], unique=False)
    op.create_index("job_by_name", "job", ["name", "id"], unique=False)
    op.create_index("dataset_by_name", "dataset", ["name", "id"], unique=False)
    op.create_index(
        "facet_job_type",
        "facet",
        ["hash", "owner_id"],
        unique=False,
        sqlite_where=JOB_TYPES,
        postgresql_where=JOB_TYPES,
    )
