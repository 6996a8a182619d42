"""The lineage of a connector: its inputs and outputs, and which of their columns are in which."""

from typing import Literal

from msgspec import Struct

from headwater.capture.connect.schemas.record import Field
from headwater.openlineage.naming import DatasetName

Kind = Literal["source", "sink", "unknown"]


class Side(Struct, frozen=True):
    """A dataset that a connector reads or writes; `unknown` says why it is not fully known."""

    dataset: DatasetName
    fields: tuple[Field, ...] = ()
    symlinks: tuple[DatasetName, ...] = ()
    unknown: str = ""
    version: str = ""  # of its schema, where a registry counts them


class ColumnEdge(Struct, frozen=True, order=True):
    """A column of an input in a column of an output; an output's empty column is the whole dataset."""

    output: DatasetName
    column: str
    input: DatasetName
    field: str
    type: str = "DIRECT"
    subtype: str = "IDENTITY"
    description: str = ""
    masking: bool = False
    possible: str = ""  # why it is not certain


class ConnectorLineage(Struct, frozen=True):
    """What a connector reads and writes, and what a person may want to know about it."""

    kind: Kind
    inputs: tuple[Side, ...] = ()
    outputs: tuple[Side, ...] = ()
    edges: tuple[ColumnEdge, ...] = ()
    notes: tuple[str, ...] = ()
