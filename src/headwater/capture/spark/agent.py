"""The OpenLineage agent in a running Spark: it sees batch, and its events take the way of all others."""

from __future__ import annotations

import functools
import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from headwater.capture.emitter import Emitter
from headwater.capture.relay import Relay, start_relay
from headwater.capture.spark.agent_jar import VERSION, fetch_agent, fetched_agent
from headwater.capture.spark.application import ENGINE_SETTINGS, HISTORY_SETTING, Application, engine_facets
from headwater.capture.spark.defaults import DEFAULTS
from headwater.capture.spark.repairs import Repairs
from headwater.capture.spark.settings import PREFIX, TRANSPORT, SparkSettings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

log = logging.getLogger(__name__)

LISTENER = "io.openlineage.spark.agent.OpenLineageSparkListener"
SIEVE, SIEVE_CLASS = Path(__file__).with_name("AgentSieve.java"), "headwater.AgentSieve"
# A queue of its own: whatever the agent does, Spark's other listeners do not wait for it.
QUEUE = "headwater"
DRAIN_SECONDS = 5.0


def start_application(spark: SparkSession, emitter: Emitter, settings: SparkSettings) -> Application:
    """The run that is the parent of all that this application does; it starts now."""
    context = spark.sparkContext
    conf = context.getConf()
    # One by one: there are hundreds, and each costs a call into the JVM.
    known = {name: conf.get(name, "") for name in (*ENGINE_SETTINGS, HISTORY_SETTING)}
    facets = engine_facets(spark.version, known, str(context.applicationId), context.sparkUser(), context.uiWebUrl)
    application = Application(emitter, settings, facets)
    DEFAULTS.follow(application, emitter)
    return application


def attach_agent(
    spark: SparkSession, emitter: Emitter, application: Application, settings: SparkSettings
) -> Agent | None:
    """Have the agent report what this session does in batch, as part of the application.

    None if the program has set up an agent of its own. NoAgent, or an error of py4j, if it cannot be loaded.
    """
    context = spark.sparkContext
    if LISTENER in context.getConf().get("spark.extraListeners", ""):
        log.warning(
            "spark.extraListeners has the OpenLineage agent, so its events go where its own settings say, unrepaired; "
            "take it out to have batch jobs reported with everything else"
        )
        return None
    if not log.isEnabledFor(logging.DEBUG):
        quieten(spark)
    listener_class = load_listener(spark, os.environ)
    repairs = Repairs(application.parent_facet(), settings.kafka_aliases, lambda: has_streams(spark))
    relay = start_relay(emitter, transform=repairs)
    try:
        java_context = context._jsc.sc()
        conf = agent_conf(java_context.conf().clone(), relay.url, settings)
        kind = context._jvm.java.lang.Class.forName("org.apache.spark.SparkConf")  # type: ignore[union-attr]
        listener = listener_class.getConstructor(_array(spark, "java.lang.Class", kind)).newInstance(
            _array(spark, "java.lang.Object", conf)
        )
        listener = sieved(spark, listener)
        java_context.listenerBus().addToQueue(listener, QUEUE)
    except BaseException:
        relay.close()
        raise
    return Agent(java_context, listener, relay)


def sieved(spark: SparkSession, agent: Any) -> Any:
    """The agent behind a sieve that keeps micro-batches from it; bare, and slower, where none can be made."""
    try:
        gateway: Any = spark.sparkContext._gateway
        kind = gateway.jvm.java.lang.Class.forName("org.apache.spark.scheduler.SparkListener")
        return (
            _compiled(gateway, SIEVE)
            .loadClass(SIEVE_CLASS)
            .getConstructor(_array(spark, "java.lang.Class", kind))
            .newInstance(_array(spark, "java.lang.Object", agent))
        )
    except Exception as error:  # what it saves is not worth a job's lineage
        log.debug("the agent sees micro-batches too: %s", error)
        return agent


def has_streams(spark: SparkSession) -> bool:
    """Whether a streaming query runs in the application, whichever session has started it."""
    return not spark._jsparkSession.sharedState().activeStreamingQueries().isEmpty()


class Agent:
    """An agent that listens until it is closed."""

    def __init__(self, java_context: Any, listener: Any, relay: Relay) -> None:
        self._java_context, self._listener, self._relay = java_context, listener, relay

    def close(self, seconds: float = DRAIN_SECONDS) -> None:
        """Wait until the agent has seen all that has happened, then let it go. Close it before Spark stops."""
        try:
            self._java_context.listenerBus().waitUntilEmpty(int(seconds * 1000))
            self._java_context.removeSparkListener(self._listener)
        except Exception as error:  # the JVM may be gone, or have more to tell than there is time for
            log.debug("the agent's last events may be missing: %s", error)
        finally:
            self._relay.close()


def agent_is_here(spark: SparkSession, env: Mapping[str, str]) -> bool:
    """Whether the agent can be attached without a download."""
    return _on_class_path(spark) is not None or fetched_agent(scala_version(spark), env) is not None


def load_listener(spark: SparkSession, env: Mapping[str, str]) -> Any:
    """The agent's class: of a jar that Spark was started with, else of ours, which sees all that the session sees."""
    if (found := _on_class_path(spark)) is not None:
        return found
    return _loader(spark.sparkContext._gateway, fetch_agent(scala_version(spark), env)).loadClass(LISTENER)


def scala_version(spark: SparkSession) -> str:
    """The Scala that Spark was built with, as jars name it."""
    version: str = spark.sparkContext._jvm.scala.util.Properties.versionNumberString()  # type: ignore[union-attr]
    return ".".join(version.split(".")[:2])


def agent_conf(conf: Any, url: str, settings: SparkSettings) -> Any:
    """A copy of Spark's settings in which the agent sends to the relay; its other settings stay as they are."""
    for pair in conf.getAllWithPrefix(TRANSPORT):
        conf.remove(f"{TRANSPORT}{pair._1()}")
    return (
        conf.set(f"{TRANSPORT}type", "http")
        .set(f"{TRANSPORT}url", url)
        .set(f"{PREFIX}namespace", settings.namespace)
        .set(f"{PREFIX}appName", settings.app_name)
        # It stumbles over every relation without a catalog, such as Kafka's, and the end of the run is then never sent.
        .setIfMissing(f"{PREFIX}vendors.iceberg.metricsReporterDisabled", "true")
    )


def quieten(spark: SparkSession) -> None:
    """Keep the agent's warnings about itself, with a stack trace for each, out of the program's log."""
    jvm: Any = spark.sparkContext._jvm
    try:
        log4j = jvm.org.apache.logging.log4j
        log4j.core.config.Configurator.setLevel("io.openlineage", log4j.Level.OFF)
    except Exception as error:  # another logging library is none of our business
        log.debug("the agent's log stays as it is: %s", error)


def _on_class_path(spark: SparkSession) -> Any | None:
    from py4j.protocol import Py4JJavaError

    try:
        return _session_loader(spark.sparkContext._gateway).loadClass(LISTENER)
    except Py4JJavaError:
        return None


def _session_loader(gateway: Any) -> Any:
    return gateway.jvm.org.apache.spark.util.Utils.getContextOrSparkClassLoader()


# A JVM may have several sessions, one after the other: each class is loaded into it once.
@functools.cache
def _loader(gateway: Any, jar: Path) -> Any:
    jvm = gateway.jvm
    urls = gateway.new_array(jvm.java.net.URL, 1)
    urls[0] = jvm.java.io.File(str(jar)).toURI().toURL()
    return jvm.java.net.URLClassLoader(urls, _session_loader(gateway))


@functools.cache
def _compiled(gateway: Any, source: Path) -> Any:
    compiler = gateway.jvm.org.codehaus.janino.SimpleCompiler()
    compiler.setParentClassLoader(_session_loader(gateway))
    compiler.cook(source.read_text("utf-8"))
    return compiler.getClassLoader()


def _array(spark: SparkSession, kind: str, *items: Any) -> Any:
    gateway: Any = spark.sparkContext._gateway
    place = gateway.jvm
    for part in kind.split("."):
        place = getattr(place, part)
    array = gateway.new_array(place, len(items))
    for index, item in enumerate(items):
        array[index] = item
    return array


__all__ = ["VERSION", "Agent", "agent_is_here", "attach_agent", "start_application"]
