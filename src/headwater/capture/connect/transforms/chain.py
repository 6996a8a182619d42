"""A connector's chain of transforms, as its settings describe it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from msgspec import Struct

from headwater.capture.connect.options import Config, flag, listed, option, under

KAFKA = "org.apache.kafka.connect.transforms."
KAFKA_PREDICATES = KAFKA + "predicates."


class Predicate(Struct, frozen=True):
    """When a transform is applied, by the class that decides it."""

    alias: str
    kind: str
    options: Mapping[str, str]
    negate: bool = False


class Transform(Struct, frozen=True):
    """One transform; `side` is what it works on, for one that has a $Key and a $Value."""

    alias: str
    kind: str
    side: Literal["key", "value"]
    options: Mapping[str, str]
    predicate: Predicate | None = None
    sided: bool = False  # whether it leaves the other side alone

    def option(self, *keys: str, default: str = "") -> str:
        """The first of these settings that is there."""
        return option(self.options, *keys, default=default)

    def listed(self, *keys: str) -> tuple[str, ...]:
        """The items of a list."""
        return listed(self.option(*keys))

    def pairs(self, key: str) -> dict[str, str]:
        """A setting such as a:b,c:d."""
        pairs = (each.split(":", 1) for each in self.listed(key) if ":" in each)
        return {first.strip(): second.strip() for first, second in pairs}

    def __str__(self) -> str:
        return f"{self.kind.rpartition('.')[2] or 'a transform without a type'} ({self.alias})"


def chain_of(config: Config) -> tuple[Transform, ...]:
    """The transforms of a connector in the order they are applied in."""
    return tuple(_transform(config, alias) for alias in listed(config.get("transforms", "")))


def _transform(config: Config, alias: str) -> Transform:
    options = under(config, f"transforms.{alias}.")
    kind, _, side = options.get("type", "").strip().partition("$")
    sided = side in ("Key", "Value")
    part: Literal["key", "value"] = "key" if side == "Key" else "value"
    return Transform(alias, _full(kind, KAFKA), part, options, _predicate(config, options), sided)


def _predicate(config: Config, options: Config) -> Predicate | None:
    name = option(options, "predicate")
    if not name:
        return None
    settings = under(config, f"predicates.{name}.")
    return Predicate(name, _full(option(settings, "type"), KAFKA_PREDICATES), settings, flag(options, "negate"))


def _full(kind: str, package: str) -> str:
    """A class by its whole name: Kafka's own may be called without their package."""
    return kind if not kind or "." in kind else package + kind
