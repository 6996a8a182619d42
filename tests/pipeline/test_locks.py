import threading
import time
from typing import Any

from pyspark.sql import SparkSession

from headwater.pipeline.locks import free_abandoned_locks, metastore, signs_of_life
from headwater.pipeline.tables import make_orders
from tests.pipeline.world import World


def take_lock(client: Any, jvm: Any, world: World) -> int:
    """What an Iceberg commit does first, and a killed one does not undo."""
    api = jvm.org.apache.hadoop.hive.metastore.api
    part = api.LockComponent(api.LockType.EXCLUSIVE, api.LockLevel.TABLE, world.settings.catalog.namespace)
    part.setTablename("orders")
    request = api.LockRequest(jvm.java.util.Collections.singletonList(part), "someone", "somewhere")
    return int(client.lock(request).getLockid())


def test_a_lock_without_a_sign_of_life_is_removed(spark: SparkSession, world: World) -> None:
    catalog = world.settings.catalog
    make_orders(spark, catalog)
    with metastore(spark, catalog) as (client, jvm):
        take_lock(client, jvm, world)
        assert free_abandoned_locks(spark, catalog, "orders", seconds=0.5, pause=0.1) == 1
        assert signs_of_life(client, jvm, catalog, "orders") == {}


def test_a_lock_whose_holder_lives_stays(spark: SparkSession, world: World) -> None:
    catalog = world.settings.catalog
    make_orders(spark, catalog)
    stop = threading.Event()
    with metastore(spark, catalog) as (client, jvm):
        lock = take_lock(client, jvm, world)

        def live() -> None:
            while not stop.wait(0.05):
                client.heartbeat(0, lock)

        beating = threading.Thread(target=live)
        beating.start()
        try:
            began = time.monotonic()
            assert free_abandoned_locks(spark, catalog, "orders", seconds=10, pause=0.2) == 0
            # One sign is enough; nobody waits for the end of the commit here.
            assert time.monotonic() - began < 10
        finally:
            stop.set()
            beating.join()
        assert set(signs_of_life(client, jvm, catalog, "orders")) == {lock}
        client.unlock(lock)


def test_without_locks_nothing_waits(spark: SparkSession, world: World) -> None:
    began = time.monotonic()
    assert free_abandoned_locks(spark, world.settings.catalog, "orders") == 0
    assert time.monotonic() - began < 10
