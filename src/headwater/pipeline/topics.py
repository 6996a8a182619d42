"""The topics that a job reads and writes, looked after with the Kafka client that Spark brings."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession

from headwater.errors import HeadwaterError
from headwater.pipeline.failures import JavaError, first_line
from headwater.pipeline.settings import PipelineSettings

SECONDS = 30


class TopicError(HeadwaterError):
    """The broker is not there, or does not let us make a topic."""


def make_topics(spark: SparkSession, settings: PipelineSettings, *topics: str) -> None:
    """Make those of the topics that do not exist, as the broker likes them: a stream cannot start without."""
    try:
        with admin_client(spark, settings) as (admin, jvm):
            names = admin.listTopics().names().get(SECONDS, jvm.java.util.concurrent.TimeUnit.SECONDS)
            for topic in topics:
                if not names.contains(topic):
                    make_topic(admin, jvm, topic)
    except JavaError as error:
        place = settings.kafka.bootstrap
        raise TopicError(f"cannot look at the topics of Kafka at {place}: {first_line(error)}; is it up?") from error


def make_topic(admin: Any, jvm: Any, topic: str) -> None:
    """Make one topic; another job may be quicker."""
    nothing = jvm.java.util.Optional.empty()
    wanted = jvm.java.util.Collections.singletonList(
        jvm.org.apache.kafka.clients.admin.NewTopic(topic, nothing, nothing)
    )
    try:
        admin.createTopics(wanted).all().get(SECONDS, jvm.java.util.concurrent.TimeUnit.SECONDS)
    except JavaError as error:
        if "TopicExistsException" not in first_line(error):
            raise


@contextmanager
def admin_client(spark: SparkSession, settings: PipelineSettings) -> Iterator[tuple[Any, Any]]:
    """Kafka's administrative client in the driver's JVM, and the JVM."""
    jvm: Any = spark.sparkContext._jvm
    properties = jvm.java.util.HashMap()
    for name, value in {**settings.kafka.options, "bootstrap.servers": settings.kafka.bootstrap}.items():
        properties.put(name, value)
    try:
        admin = jvm.org.apache.kafka.clients.admin.AdminClient.create(properties)
    except TypeError as error:
        # py4j takes the name of a class that is not there for the name of a package.
        raise TopicError("Spark has no Kafka client; give it the jars of docs/clusters.md with --packages") from error
    try:
        yield admin, jvm
    finally:
        admin.close()
