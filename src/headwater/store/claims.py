"""What a facet says of how columns are made, as one flat form: pure functions, no database."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import msgspec

from headwater.openlineage.events import content_hash
from headwater.openlineage.facets import (
    ColumnLineage,
    InputField,
    LineageDataset,
    LineageEntry,
    LineageSource,
    Transformation,
)

WHOLE = ""  # stands for every column of a dataset


class ColumnEdge(NamedTuple):
    """One input of one output column; WHOLE on either side is the dataset itself."""

    out_field: str
    namespace: str
    name: str
    in_field: str
    direct: bool
    transformations: str  # JSON array


class Content(NamedTuple):
    """A claim's content: its edges, each pair once, and the hash that tells it from any other."""

    hash: bytes
    edges: tuple[ColumnEdge, ...]


# The older form of the facet put one word on the whole column.
_OLD_TYPES = {"MASKED": ("TRANSFORMATION", True), "IDENTITY": ("IDENTITY", False)}


def column_claim(facet: ColumnLineage) -> Content:
    """What a columnLineage facet says: per column, and dataset-wide."""
    edges: list[tuple[str, str, str, str, list[Transformation]]] = []
    for column, made in facet.fields.items():
        old = _old_form(made.transformationType, made.transformationDescription)
        edges += [(column, *_source(field), field.transformations or old) for field in made.inputFields]
    edges += [(WHOLE, *_source(field), field.transformations or [_INDIRECT]) for field in facet.dataset or ()]
    return _content(edges)


def explicit_claim(entry: LineageEntry | LineageDataset) -> Content:
    """What an explicit lineage entry says of one dataset; no inputs at all means that nothing feeds it."""
    by_column = {WHOLE: entry.inputs, **{column: made.inputs for column, made in (entry.fields or {}).items()}}
    return _content(
        (column, source.namespace or "", source.name or "", source.field or WHOLE, source.transformations or [])
        for column, sources in by_column.items()
        for source in datasets_of(sources)
    )


def datasets_of(sources: Iterable[LineageSource] | None) -> list[LineageSource]:
    """The sources that are datasets."""
    return [source for source in sources or () if source.type == "DATASET" and source.name is not None]


def jobs_of(entry: LineageEntry | LineageDataset) -> list[tuple[str, str]]:
    """Namespace and name of every source job, of the dataset or of one column; the event's own job is not named."""
    sources = [*(entry.inputs or ()), *(s for made in (entry.fields or {}).values() for s in made.inputs)]
    return [(s.namespace or "", s.name) for s in sources if s.type == "JOB" and s.name is not None]


_INDIRECT = Transformation(type="INDIRECT")
_encode = msgspec.json.Encoder().encode


def _source(field: InputField) -> tuple[str, str, str]:
    return field.namespace, field.name, field.field


def _old_form(kind: str | None, description: str | None) -> list[Transformation]:
    if kind is None and description is None:
        return []
    subtype, masking = _OLD_TYPES.get((kind or "").upper(), (kind, None))
    return [Transformation(type="DIRECT", subtype=subtype, description=description, masking=masking)]


def _content(edges: Iterable[tuple[str, str, str, str, list[Transformation]]]) -> Content:
    """Merge what is said twice of one pair and sort, so that equal claims are equal bytes.

    A pair is direct unless everything said of it is indirect.
    """
    merged: dict[tuple[str, str, str, str], dict[bytes, bool]] = {}  # what is said -> whether it is indirect
    for out_field, namespace, name, in_field, transformations in edges:
        said = merged.setdefault((out_field, namespace, name, in_field), {})
        for transformation in transformations:
            said[_encode(transformation)] = transformation.type.upper() == "INDIRECT"
    flat = tuple(
        ColumnEdge(
            *key, direct=not (said and all(said.values())), transformations=f"[{b','.join(sorted(said)).decode()}]"
        )
        for key, said in sorted(merged.items())
    )
    return Content(content_hash(_encode(flat)), flat)
