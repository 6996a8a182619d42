"""Alembic's entry: migrations run on the engine that open_database hands over, in one transaction."""

from alembic import context

from headwater.store.tables import metadata

engine = context.config.attributes["engine"]
with engine.begin() as connection:
    context.configure(connection=connection, target_metadata=metadata)
    with context.begin_transaction():
        context.run_migrations()
