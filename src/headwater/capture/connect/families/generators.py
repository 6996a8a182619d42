"""Sources that make their records up: there is nothing behind them."""

from __future__ import annotations

from collections.abc import Callable

from headwater.capture.connect.families.family import Family, Origin, Source
from headwater.capture.connect.options import Config, listed, option
from headwater.capture.connect.schemas.record import Field


def topic_in(*keys: str) -> Callable[[Config], tuple[Origin, ...]]:
    """A generator whose topic is in one of these settings."""

    def origins(config: Config) -> tuple[Origin, ...]:
        return tuple(Origin(None, topic) for topic in listed(option(config, *keys)))

    return origins


def msk(config: Config) -> tuple[Origin, ...]:
    """Amazon's generator: settings such as genv.<topic>.<field>.with describe each topic's values field by field."""
    topics: dict[str, dict[str, Field]] = {}
    for key in config:
        kind, *rest = key.split(".")
        if kind in ("genk", "genkp", "genv", "genvp") and len(rest) > 1:
            fields = topics.setdefault(rest[0], {})
            if kind == "genv" and len(rest) > 2:
                fields.setdefault(rest[1], Field(rest[1], ""))
    return tuple(Origin(None, topic, fields=tuple(fields.values())) for topic, fields in topics.items())


def anything(config: Config, topic: str) -> Origin | None:
    """A topic that the settings do not name has made-up records all the same."""
    return Origin(None, topic)


KAFKA = "org.apache.kafka.connect.tools."
FAMILIES: dict[str, Family] = {
    "com.amazonaws.mskdatagen.GeneratorSourceConnector": Source("Amazon MSK data generator", msk, anything),
    "com.github.jcustenborder.kafka.connect.simulator.SimulatorSourceConnector": Source(
        "Simulator", topic_in("topic"), anything
    ),
    "io.confluent.kafka.connect.datagen.DatagenConnector": Source("Datagen", topic_in("kafka.topic"), anything),
    "io.mdrogalis.voluble.VolubleSourceConnector": Source("Voluble", msk, anything),
    KAFKA + "MockSourceConnector": Source("Mock source", origin_of=anything),
    KAFKA + "SchemaSourceConnector": Source("Schema source", topic_in("topic"), anything),
    KAFKA + "VerifiableSourceConnector": Source("Verifiable source", topic_in("topic"), anything),
}
