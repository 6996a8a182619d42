"""The first schema"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

Id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
Name = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")


def upgrade() -> None:
    op.create_table(
        "blob",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "claim",
        sa.Column("job_id", Id, autoincrement=False, nullable=False),
        sa.Column("dataset_id", Id, autoincrement=False, nullable=False),
        sa.Column("kind", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("mapping_id", Id, autoincrement=False, nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.Column("run", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "dataset_id", "kind", "mapping_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("claim_dataset", "claim", ["dataset_id", "job_id"], unique=False)
    op.create_index("claim_mapping", "claim", ["mapping_id"], unique=False)
    op.create_table(
        "dataset",
        sa.Column("id", Id, autoincrement=False, nullable=False),
        sa.Column("namespace_id", Id, nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("root_id", Id, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.Column("alive_at", sa.BigInteger(), nullable=True),
        sa.Column("dropped_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "dataset_deleted",
        "dataset",
        ["deleted_at"],
        unique=False,
        sqlite_where=sa.text("deleted_at IS NOT NULL"),
        postgresql_where=sa.text("deleted_at IS NOT NULL"),
    )
    op.create_index("dataset_name", "dataset", ["namespace_id", "name"], unique=True)
    op.create_index("dataset_root", "dataset", ["root_id"], unique=False)
    op.create_table(
        "dataset_schema",
        sa.Column("dataset_id", Id, autoincrement=False, nullable=False),
        sa.Column("schema", sa.LargeBinary(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("run", sa.LargeBinary(), nullable=False),
        sa.Column("written", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "schema"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "diagnostic",
        sa.Column("id", Id, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("event_id", Id, nullable=True),
        sa.Column("field", sa.Text(), nullable=True),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("diagnostic_kind", "diagnostic", ["kind", "id"], unique=False)
    op.create_table(
        "edge",
        sa.Column("job_id", Id, autoincrement=False, nullable=False),
        sa.Column("direction", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("dataset_id", Id, autoincrement=False, nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("job_id", "direction", "dataset_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("edge_dataset", "edge", ["dataset_id", "direction", "job_id"], unique=False)
    op.create_table(
        "event",
        sa.Column("id", Id, autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("event_time", sa.BigInteger(), nullable=False),
        sa.Column("received_at", sa.BigInteger(), nullable=False),
        sa.Column("run_id", Id, nullable=True),
        sa.Column("job_id", Id, nullable=True),
        sa.Column("dataset_id", Id, nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("event_run", "event", ["run_id"], unique=False)
    op.create_index("event_time", "event", ["event_time", "hash"], unique=True)
    op.create_table(
        "facet",
        sa.Column("kind", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("owner_id", Id, autoincrement=False, nullable=False),
        sa.Column("other_id", Id, autoincrement=False, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("kind", "owner_id", "other_id", "name"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "field",
        sa.Column("dataset_id", Id, autoincrement=False, nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "name"),
        sqlite_with_rowid=False,
    )
    op.create_index("field_name", "field", ["name"], unique=False)
    op.create_table(
        "io",
        sa.Column("run_id", Id, autoincrement=False, nullable=False),
        sa.Column("direction", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("dataset_id", Id, autoincrement=False, nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("run_id", "direction", "dataset_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "job",
        sa.Column("id", Id, autoincrement=False, nullable=False),
        sa.Column("namespace_id", Id, nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.Column("latest_run_id", Id, nullable=True),
        sa.Column("edges_run_id", Id, nullable=True),
        sa.Column("parent_job_id", Id, nullable=True),
        sa.Column("parent_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(
        "job_deleted",
        "job",
        ["deleted_at"],
        unique=False,
        sqlite_where=sa.text("deleted_at IS NOT NULL"),
        postgresql_where=sa.text("deleted_at IS NOT NULL"),
    )
    op.create_index("job_name", "job", ["namespace_id", "name"], unique=True)
    op.create_index("job_namespace_updated", "job", ["namespace_id", "updated_at", "id"], unique=False)
    op.create_index(
        "job_parent",
        "job",
        ["parent_job_id"],
        unique=False,
        sqlite_where=sa.text("parent_job_id IS NOT NULL"),
        postgresql_where=sa.text("parent_job_id IS NOT NULL"),
    )
    op.create_index("job_updated", "job", ["updated_at", "id"], unique=False)
    op.create_table(
        "job_link",
        sa.Column("from_job_id", Id, autoincrement=False, nullable=False),
        sa.Column("to_job_id", Id, autoincrement=False, nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("from_job_id", "to_job_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("job_link_to", "job_link", ["to_job_id"], unique=False)
    op.create_table(
        "mapping",
        sa.Column("id", Id, autoincrement=False, nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("mapping_hash", "mapping", ["hash"], unique=True)
    op.create_table(
        "mapping_edge",
        sa.Column("mapping_id", Id, autoincrement=False, nullable=False),
        sa.Column("out_field", Name, nullable=False),
        sa.Column("in_dataset_id", Id, autoincrement=False, nullable=False),
        sa.Column("in_field", Name, nullable=False),
        sa.Column("direct", sa.Boolean(), nullable=False),
        sa.Column("transformations", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("mapping_id", "out_field", "in_dataset_id", "in_field"),
        sqlite_with_rowid=False,
    )
    op.create_index("mapping_edge_input", "mapping_edge", ["in_dataset_id", "in_field", "mapping_id"], unique=False)
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
    )
    op.create_table(
        "namespace",
        sa.Column("id", Id, autoincrement=False, nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=True),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("deleted_at", sa.BigInteger(), nullable=True),
        sa.Column("jobs", sa.Integer(), nullable=False),
        sa.Column("datasets", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("namespace_name", "namespace", ["name"], unique=True)
    op.create_table(
        "run",
        sa.Column("id", Id, autoincrement=False, nullable=False),
        sa.Column("uuid", sa.LargeBinary(), nullable=False),
        sa.Column("external_id", sa.Text(), nullable=True),
        sa.Column("job_id", Id, nullable=True),
        sa.Column("job_at", sa.BigInteger(), nullable=True),
        sa.Column("declared", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=True),
        sa.Column("ended_at", sa.BigInteger(), nullable=True),
        sa.Column("named_at", sa.BigInteger(), nullable=True),
        sa.Column("parent_id", Id, nullable=True),
        sa.Column("parent_at", sa.BigInteger(), nullable=True),
        sa.Column("root_id", Id, nullable=True),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("run_job", "run", ["job_id", "started_at", "uuid"], unique=False)
    op.create_index(
        "run_parent",
        "run",
        ["parent_id"],
        unique=False,
        sqlite_where=sa.text("parent_id IS NOT NULL"),
        postgresql_where=sa.text("parent_id IS NOT NULL"),
    )
    op.create_index("run_uuid", "run", ["uuid"], unique=True)
    op.create_table(
        "schema",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("fields", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("hash"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "search",
        sa.Column("id", Id, autoincrement=False, nullable=False),
        sa.Column("kind", sa.SmallInteger(), nullable=False),
        sa.Column("owner_id", Id, nullable=False),
        sa.Column("name", Name, nullable=False),
        sa.Column("folded", Name, nullable=False),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("search_folded", "search", ["folded", "kind"], unique=False)
    op.create_table(
        "source",
        sa.Column("name", Name, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "symlink",
        sa.Column("dataset_id", Id, autoincrement=False, nullable=False),
        sa.Column("target_id", Id, autoincrement=False, nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("dataset_id", "target_id"),
        sqlite_with_rowid=False,
    )
    op.create_index("symlink_target", "symlink", ["target_id"], unique=False)
    op.create_table(
        "tag",
        sa.Column("name", Name, nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name"),
    )
    op.create_table(
        "tagging",
        sa.Column("kind", sa.SmallInteger(), autoincrement=False, nullable=False),
        sa.Column("owner_id", Id, autoincrement=False, nullable=False),
        sa.Column("field", Name, nullable=False),
        sa.Column("tag", Name, nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "owner_id", "field", "tag"),
        sqlite_with_rowid=False,
    )
    op.create_index("tagging_tag", "tagging", ["tag"], unique=False)
    op.create_table(
        "version",
        sa.Column("dataset_id", Id, autoincrement=False, nullable=False),
        sa.Column("run_id", Id, autoincrement=False, nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("first_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("lifecycle", sa.Text(), nullable=True),
        sa.Column("lifecycle_at", sa.BigInteger(), nullable=True),
        sa.Column("schema", sa.LargeBinary(), nullable=True),
        sa.Column("schema_at", sa.BigInteger(), nullable=True),
        sa.PrimaryKeyConstraint("dataset_id", "run_id", "version"),
        sqlite_with_rowid=False,
    )
    op.create_index("version_time", "version", ["dataset_id", "last_at"], unique=False)
    _index_substrings()


def _index_substrings() -> None:
    """Search finds any part of a name: trigrams, in SQLite beside the table, in PostgreSQL on it."""
    if op.get_bind().dialect.name == "sqlite":
        op.execute(
            "CREATE VIRTUAL TABLE search_trigram "
            "USING fts5(folded, content='search', content_rowid='id', tokenize='trigram')"
        )
    elif _has_trigrams():
        op.execute("CREATE INDEX search_trigram ON search USING gin (folded gin_trgm_ops)")


def _has_trigrams() -> bool:
    """pg_trgm ships with PostgreSQL, but a server may lack it or not let us add it: search then scans."""
    try:
        with op.get_bind().begin_nested():
            op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    except sa.exc.DBAPIError:
        return False
    return True
