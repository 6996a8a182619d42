"""Whether a connector that says RUNNING does nothing, and what shows it. No I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from headwater.capture.connect.answers import Fault
from headwater.capture.connect.flow import Flow

# Longer than the minute after which a sink commits its offsets, unless it is told otherwise.
SINK_SECONDS = 120.0
SOURCE_SECONDS = 60.0
HEARTBEATS_MISSED = 3


def sink_evidence(flow: Flow, quiet: float) -> str:
    """Records wait, and none was taken for a while."""
    if not flow.lag or quiet < SINK_SECONDS:
        return ""
    waiting = ", ".join(f"{topic.lag:,} on {topic.topic}" for topic in flow.topics if topic.lag)
    return f"records wait ({waiting}) and no offset was committed for {quiet:.0f} s"


def topic_evidence(missing: Sequence[str], seconds: float) -> str:
    """A topic that a sink should read is not there: it was deleted, or nobody has made it yet."""
    if not missing or seconds < SOURCE_SECONDS:
        return ""
    return f"there is no topic {', '.join(missing)} for it to read"


def source_evidence(quiet: float, faults: Sequence[Fault]) -> str:
    """Nothing was written for a while, and the worker's own check of the settings says why."""
    if quiet < SOURCE_SECONDS or not faults:
        return ""
    said = "; ".join(f"{fault.key}: {message}" for fault in faults for message in fault.messages)
    return f"nothing was written for {quiet:.0f} s, and the worker's check of its settings says: {said}"


def heartbeat_evidence(config: Mapping[str, str], quiet: float) -> str:
    """A Debezium connector with a heartbeat writes one however quiet its database is."""
    every = heartbeat_seconds(config)
    if not every or quiet < max(SOURCE_SECONDS, HEARTBEATS_MISSED * every):
        return ""
    return f"its last heartbeat was {quiet:.0f} s ago; heartbeat.interval.ms asks for one every {every:.0f} s"


def heartbeat_seconds(config: Mapping[str, str]) -> float:
    """How often a Debezium connector writes a heartbeat; 0 if it does not."""
    written = config.get("heartbeat.interval.ms", "").strip()
    if not config.get("connector.class", "").startswith("io.debezium.") or not written.isdigit():
        return 0.0
    return int(written) / 1000


def heartbeat_topic(config: Mapping[str, str]) -> str:
    """The topic of a Debezium connector's heartbeats; empty if it has none."""
    if not heartbeat_seconds(config):
        return ""
    prefix = config.get("topic.heartbeat.prefix", config.get("heartbeat.topics.prefix", "__debezium-heartbeat"))
    return f"{prefix}.{config.get('topic.prefix', config.get('database.server.name', ''))}"
