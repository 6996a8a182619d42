"""The sieve in front of the agent, in a real Spark: what comes through it, told by a listener that only counts."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from headwater.capture.spark.agent import sieved
from tests.capture.backends import wait_for

QUEUE = "tests"
COUNTING = """
package headwater.tests;

public class Counting extends org.apache.spark.scheduler.SparkListener {
    public int jobs, jobEnds, tasks, executions;

    public void onJobStart(org.apache.spark.scheduler.SparkListenerJobStart start) { jobs++; }
    public void onJobEnd(org.apache.spark.scheduler.SparkListenerJobEnd end) { jobEnds++; }
    public void onTaskEnd(org.apache.spark.scheduler.SparkListenerTaskEnd end) { tasks++; }
    public void onOtherEvent(org.apache.spark.scheduler.SparkListenerEvent event) {
        if (event.getClass().getName().contains("SparkListenerSQLExecution")) { executions++; }
    }
    public String counted() { return jobs + " " + jobEnds + " " + tasks + " " + executions; }
}
"""


@pytest.fixture
def counting(spark: SparkSession) -> Any:
    """A listener in the JVM that counts."""
    jvm: Any = spark.sparkContext._jvm
    compiler = jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader())
    compiler.cook(COUNTING)
    return compiler.getClassLoader().loadClass("headwater.tests.Counting").newInstance()


def test_what_is_no_micro_batch_comes_through_and_nothing_else(spark: SparkSession, counting: Any) -> None:
    bus = spark.sparkContext._jsc.sc().listenerBus()
    sieve = sieved(spark, counting)
    assert sieve.getClass().getSimpleName() == "AgentSieve"
    stream = spark.readStream.format("rate-micro-batch").option("rowsPerBatch", 5).load()
    bus.addToQueue(sieve, QUEUE)
    query = stream.writeStream.foreachBatch(lambda frame, _: frame.write.mode("append").format("noop").save()).start()
    try:
        wait_for(lambda: len(query.recentProgress) >= 3, 60)
        bus.waitUntilEmpty(10_000)
        assert counting.counted() == "0 0 0 0"
        spark.range(0, 10, 1, 3).write.mode("append").format("noop").save()
        bus.waitUntilEmpty(10_000)
        assert counting.counted() == "1 1 3 2"
    finally:
        query.stop()
        spark.sparkContext._jsc.sc().removeSparkListener(sieve)


def test_where_it_cannot_be_compiled_the_agent_is_used_as_it_is(
    spark: SparkSession, counting: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    (tmp_path / "Broken.java").write_text("package headwater; public class")
    monkeypatch.setattr("headwater.capture.spark.agent.SIEVE", tmp_path / "Broken.java")
    assert sieved(spark, counting) is counting
