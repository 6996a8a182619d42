"""Alembic's entry: migrations run on the connection that open_database hands over, in its transaction."""

from alembic import context

from headwater.store.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
