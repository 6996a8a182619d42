"""Folding events into a database without a server: each call is a fresh start of the writer."""

from collections.abc import Sequence

from sqlalchemy import delete, text

from headwater.openlineage.events import Event
from headwater.store.database import Database
from headwater.store.fold import Fold
from headwater.store.session import open_session
from headwater.store.tables import metadata
from tests.events import NOON


def fold(database: Database, *events: Event) -> None:
    """Fold each event in a transaction of its own, as one run of the server would."""
    fold_batches(database, [[event] for event in events])


def fold_batches(database: Database, batches: Sequence[Sequence[Event]]) -> None:
    """Fold each batch in a transaction of its own, as one run of the server would."""
    session = open_session(database)
    folding = Fold(session, late_after=None)
    try:
        for batch in batches:
            folding.begin(batch)
            folding.apply(batch, NOON)
            session.commit()
    finally:
        session.rollback()
        session.close()


def empty(database: Database) -> None:
    """Forget everything, which is faster than a new database."""
    with database.engine.connect().execution_options(writes=True) as connection, connection.begin():
        for table in metadata.sorted_tables:
            connection.execute(delete(table))
        if database.dialect == "sqlite":
            connection.execute(text("INSERT INTO search_trigram (search_trigram) VALUES ('delete-all')"))
