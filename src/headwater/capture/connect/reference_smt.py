"""The settings of OpenLineageLifecycleSmt, which name a connector's job and datasets whether or not it is there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from msgspec import Struct

from headwater.capture.connect.options import Config, flag, listed, option, under

NAME = "OpenLineageLifecycleSmt"
_TYPE = re.compile(r"transforms\.([^.]+)\.type")


class Reference(Struct, frozen=True):
    """What a connector's own settings call its job, topics and datasets; what is empty is derived."""

    alias: str
    job: str = ""
    topics: tuple[str, ...] = ()
    namespace: str = ""
    names: tuple[str, ...] = ()
    reads_key: bool = True
    reads_value: bool = True

    def dataset(self, topic: str, topics: Sequence[str]) -> str:
        """The name of a topic's dataset: the one at the same place in the list, else the topic's own."""
        return dict(zip(self.topics or topics, self.names, strict=False)).get(topic, topic)


def is_reference_smt(name: str) -> bool:
    """Whether this is the name of the transform's class."""
    return name.strip().rpartition(".")[2] == NAME


def reference_of(config: Config) -> Reference | None:
    """The settings of the first such transform, also of one that was left out; None if the connector has none."""
    for alias in _aliases(config):
        settings = under(config, f"transforms.{alias}.")
        return Reference(
            alias,
            option(settings, "connector.name"),
            listed(settings.get("topics", "")),
            option(settings, "dataset.namespace"),
            listed(settings.get("dataset.names", "")),
            flag(settings, "key.converter.schema.read", default=True),
            flag(settings, "value.converter.schema.read", default=True),
        )
    return None


def job_name(config: Config) -> str:
    """The job's name that the transform's settings give; empty if they give none."""
    reference = reference_of(config)
    return reference.job if reference is not None else ""


def without_smt(config: Config) -> dict[str, str]:
    """The settings for a worker that does not have the transform's class: the chain without it.

    What the transform was told stays among the settings, where it does nothing and names the job and the datasets.
    """
    left_out = _aliases(config)
    rest = [alias for alias in listed(config.get("transforms", "")) if alias not in left_out]
    kept = {key: value for key, value in config.items() if key != "transforms"}
    return {**kept, "transforms": ",".join(rest)} if rest else kept


def _aliases(config: Config) -> list[str]:
    """What such transforms are called here, in the chain or not."""
    found = ((_TYPE.fullmatch(key), value) for key, value in config.items())
    return [match[1] for match, value in found if match and is_reference_smt(value)]
