"""Families of connectors, each in a module of its own, by the class of the connector."""

from headwater.capture.connect.families import (
    bigquery,
    camel,
    debezium,
    delta,
    file,
    generators,
    http,
    hudi,
    iceberg,
    jdbc,
    lenses,
    mirror,
    mongodb,
    object_stores,
    redis,
    search_engines,
    snowflake,
)
from headwater.capture.connect.families.family import Family
from headwater.capture.connect.families.other import unknown_family
from headwater.capture.connect.options import Config

FAMILIES: dict[str, Family] = {
    **bigquery.FAMILIES,
    **camel.FAMILIES,
    **debezium.FAMILIES,
    **delta.FAMILIES,
    **file.FAMILIES,
    **generators.FAMILIES,
    **http.FAMILIES,
    **hudi.FAMILIES,
    **iceberg.FAMILIES,
    **jdbc.FAMILIES,
    **lenses.FAMILIES,
    **mirror.FAMILIES,
    **mongodb.FAMILIES,
    **object_stores.FAMILIES,
    **redis.FAMILIES,
    **search_engines.FAMILIES,
    **snowflake.FAMILIES,
}


def _short_names() -> dict[str, Family]:
    """Families by a class's name without its package, which a worker takes too; a name of several is nobody's."""
    short: dict[str, list[Family]] = {}
    for name, family in FAMILIES.items():
        plain = name.rpartition(".")[2]
        for each in {plain, plain.removesuffix("Connector")}:
            short.setdefault(each, []).append(family)
    return {name: found[0] for name, found in short.items() if all(each is found[0] for each in found)}


SHORT_NAMES = _short_names()


def family_of(config: Config, kind: str = "") -> Family:
    """The family of a connector; `kind` is what the worker says of one whose class is not known."""
    name = config.get("connector.class", "").strip()
    return FAMILIES.get(name) or SHORT_NAMES.get(name) or unknown_family(config, kind)
