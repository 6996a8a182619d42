"""The databases of the store's tests."""

from tests.store.conftest import database, shared_postgres, shared_sqlite, sqlite

__all__ = ["database", "shared_postgres", "shared_sqlite", "sqlite"]
