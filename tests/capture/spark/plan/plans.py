"""Plans that real Sparks have made, kept as files beside the edges that they must give."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from headwater.capture.spark.plan import Batches, ColumnLineage, Edge, Sink, Source, column_edges, read_plan
from headwater.openlineage.naming import DatasetName

FOLDER = Path(__file__).parents[3] / "fixtures" / "plans"
FILES = sorted(FOLDER.glob("spark-*/*.json"))
NAMESPACE = "here"


def name_of(file: Path) -> str:
    """A fixture as a test names it: spark-3.5/aggregates."""
    return f"{file.parent.name}/{file.stem}"


def load(name: str) -> dict[str, Any]:
    """A fixture by its name."""
    loaded: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text())
    return loaded


def lineage(fixture: dict[str, Any]) -> Iterator[tuple[str, ColumnLineage]]:
    """Each sink of a fixture and its column lineage; a query with foreachBatch has those of its batches."""
    plan = read_plan(json.dumps(fixture["plan"]))
    if "batches" not in fixture:
        yield fixture["sink"]["dataset"], column_edges(plan, sources(fixture), sink(fixture))
    for batch in fixture.get("batches", []):
        inner = read_plan(json.dumps(batch["plan"]))
        batches = Batches(plan, sources(fixture))
        yield batch["sink"]["dataset"], column_edges(inner, sources(batch), sink(batch), batches)


def lines(fixture: dict[str, Any]) -> list[str]:
    """The column lineage of a fixture as text."""
    return [line(edge, name) for name, found in lineage(fixture) for edge in found.edges]


def line(edge: Edge, sink: str) -> str:
    """An edge as a fixture writes it: orders.price -> stats.total  DIRECT AGGREGATION."""
    text = f"{edge.source.name}.{edge.field} -> {sink}.{edge.target or '*'}  {edge.kind} {edge.subtype}"
    return text + (" masked" if edge.masking else "") + (f"  ({edge.doubt})" if edge.doubt else "")


def sources(part: dict[str, Any]) -> Sequence[Source]:
    """The sources of a plan, as its fixture names them."""
    return [
        Source(
            tuple(DatasetName(NAMESPACE, name) for name in each["datasets"]),
            frozenset(each["columns"]),
            record=each.get("record", ""),
        )
        for each in part["sources"]
    ]


def sink(part: dict[str, Any]) -> Sink:
    """The sink of a plan; where the value is the record it is a topic, which a column may name."""
    record = part["sink"].get("record", "")
    return Sink(record, routes=("topic",) if record == "value" else ())
