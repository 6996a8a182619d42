"""Locks that a killed driver left in the Hive Metastore: until they are gone, no commit to their table gets through."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

from headwater.pipeline.failures import JavaError, first_line
from headwater.pipeline.settings import Catalog

# A commit holds its lock for milliseconds, and one that waits gives a sign every few seconds.
PATIENCE_SECONDS = 20.0
log = logging.getLogger("headwater.pipeline")


def free_abandoned_locks(
    spark: SparkSession, catalog: Catalog, table: str, seconds: float = PATIENCE_SECONDS, pause: float = 1.0
) -> int:
    """Remove the table's locks that give no sign of life for so long; how many they were.

    A metastore removes them itself only if its housekeeping is on, and then after five minutes.
    """
    try:
        with metastore(spark, catalog) as (client, jvm):
            abandoned = watch(lambda: signs_of_life(client, jvm, catalog, table), seconds, pause)
            for lock in abandoned:
                log.warning("removing lock %d on %s, which its holder has abandoned", lock, catalog.table(table))
                client.unlock(lock)
    except JavaError as error:
        # Not worth an end: the first commit says more, and waits for the lock.
        log.warning("cannot look for abandoned locks on %s: %s", catalog.table(table), first_line(error))
        return 0
    return len(abandoned)


def watch(look: Callable[[], dict[int, int]], seconds: float, pause: float) -> list[int]:
    """The locks that stay and show the same sign of life for so long; none, at once, if there are no locks."""
    found = look()
    deadline = time.monotonic() + seconds
    while found and time.monotonic() < deadline:
        time.sleep(pause)
        now = look()
        found = {lock: sign for lock, sign in found.items() if now.get(lock) == sign}
    return list(found)


def signs_of_life(client: Any, jvm: Any, catalog: Catalog, table: str) -> dict[int, int]:
    """The table's locks, each with the time of its last heartbeat by the metastore's clock."""
    request = jvm.org.apache.hadoop.hive.metastore.api.ShowLocksRequest()
    request.setDbname(catalog.namespace)
    request.setTablename(table)
    locks = client.showLocks(request).getLocks() or ()
    return {lock.getLockid(): lock.getLastheartbeat() for lock in locks}


@contextmanager
def metastore(spark: SparkSession, catalog: Catalog) -> Iterator[tuple[Any, Any]]:
    """A client of the metastore in the driver's JVM, with the session's Hadoop settings, and the JVM."""
    jvm: Any = spark.sparkContext._jvm
    conf = jvm.org.apache.hadoop.hive.conf.HiveConf()
    conf.addResource(spark._jsparkSession.sessionState().newHadoopConf())
    conf.set("hive.metastore.uris", catalog.uri)
    client = jvm.org.apache.hadoop.hive.metastore.HiveMetaStoreClient(conf)
    try:
        yield client, jvm
    finally:
        client.close()
