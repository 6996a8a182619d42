"""Kafka's own file connectors: lines of a file."""

from __future__ import annotations

from headwater.capture.connect.families.family import LINES, Family, Locations, Origin, Sink, Source, Target
from headwater.capture.connect.options import Config, option
from headwater.capture.connect.transforms.flow import Record, packed
from headwater.openlineage.naming import DatasetName, location


def file_of(config: Config, usual: str) -> tuple[DatasetName, str]:
    """The file that the settings name; without one, the worker's own input or output is meant."""
    name = option(config, "file")
    if not name:
        return DatasetName("file", usual), f"no file is set: it is the worker's {usual}"
    if not name.startswith("/"):
        return DatasetName("file", name), "its path starts where the worker was started"
    return location(name), ""


def targets(config: Config, record: Record, locations: Locations) -> tuple[Target, ...]:
    """Each value is a line, as Java writes it."""
    dataset, why = file_of(config, "standard output")
    return (Target(dataset, [packed("line", "string", record.value, "as text")], unknown=why),)


def origins(config: Config) -> tuple[Origin, ...]:
    """Each line is a record of one topic."""
    dataset, why = file_of(config, "standard input")
    return (Origin(dataset, option(config, "topic"), unknown=why),) if option(config, "topic") else ()


KAFKA = "org.apache.kafka.connect.file."
SINK, SOURCE = Sink("File sink", targets), Source("File source", origins, shape=LINES)
FAMILIES: dict[str, Family] = {
    KAFKA + "FileStreamSinkConnector": SINK,
    KAFKA + "FileStreamSourceConnector": SOURCE,
}
