"""Leases: runs that must show signs of life"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("run", sa.Column("lost_at", sa.BigInteger(), nullable=True))
    op.create_table(
        "lease",
        sa.Column("run_id", Id, autoincrement=False, nullable=False),
        sa.Column("seconds", sa.Integer(), nullable=False),
        sa.Column("until", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("run_id"),
    )
    op.create_index("lease_until", "lease", ["until"], unique=False)
