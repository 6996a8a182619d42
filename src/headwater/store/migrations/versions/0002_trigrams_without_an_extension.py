"""Trigrams without an extension: PostgreSQL finds parts of names with what every server has"""

from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    if op.get_bind().dialect.name != "postgresql":
        return
    op.execute("DROP INDEX IF EXISTS search_trigram")
    op.execute(
        """CREATE FUNCTION headwater_trigrams(name text) RETURNS text[]
           LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
           AS $$ SELECT array_agg(DISTINCT substr(name, i, 3)) FROM generate_series(1, length(name) - 2) i $$"""
    )
    op.execute("CREATE INDEX search_trigram ON search USING gin (headwater_trigrams(folded))")
