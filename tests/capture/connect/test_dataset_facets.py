"""The lineage of a connector as OpenLineage datasets."""

from typing import Any

import msgspec

from headwater.capture.connect.dataset_facets import datasets_of
from headwater.capture.connect.edges import ColumnEdge, ConnectorLineage, Side
from headwater.capture.connect.schemas.record import Field
from headwater.openlineage import facets
from headwater.openlineage.naming import DatasetName

TOPIC, TABLE, LINK = (
    DatasetName("kafka://k:9092", "orders"),
    DatasetName("s3://w", "orders"),
    DatasetName("hive://m", "d.o"),
)
LINEAGE = ConnectorLineage(
    "sink",
    (
        Side(
            TOPIC,
            (Field("id", "long"), Field("card", "string", "a number"), Field("to", "struct", "", (Field("c", ""),))),
        ),
    ),
    (Side(TABLE, (Field("id", "long"),), (LINK,), "why not"),),
    (
        ColumnEdge(TABLE, "id", TOPIC, "id"),
        ColumnEdge(TABLE, "id", TOPIC, "card", "DIRECT", "TRANSFORMATION", "masked", True),
        ColumnEdge(TABLE, "id", TOPIC, "id", possible="perhaps"),
        ColumnEdge(TABLE, "", TOPIC, "kind", "INDIRECT", "FILTER", "only some"),
    ),
)


def bare(facet: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in facet.items() if not key.startswith("_")}


def test_a_dataset_has_its_schema_its_aliases_and_what_is_not_known() -> None:
    (topic,), (table,) = datasets_of(LINEAGE)
    assert bare(topic["facets"]["schema"]) == {
        "fields": [
            {"name": "id", "type": "long"},
            {"name": "card", "type": "string", "description": "a number"},
            {"name": "to", "type": "struct", "fields": [{"name": "c"}]},
        ]
    }
    assert set(topic["facets"]) == {"schema"}
    assert bare(table["facets"]["symlinks"]) == {
        "identifiers": [{"namespace": "hive://m", "name": "d.o", "type": "TABLE"}]
    }
    assert bare(table["facets"]["headwater_unknown"]) == {"reason": "why not"}


def test_columns_come_from_columns_in_one_or_more_ways_and_a_doubt_is_described() -> None:
    facet = bare(datasets_of(LINEAGE)[1][0]["facets"]["columnLineage"])
    inputs = facet["fields"]["id"]["inputFields"]
    told = {
        each["field"]: [
            (way["type"], way["subtype"], way["description"], way["masking"]) for way in each["transformations"]
        ]
        for each in inputs
    }
    assert told == {
        "id": [("DIRECT", "IDENTITY", "", False), ("DIRECT", "IDENTITY", "possible: perhaps", False)],
        "card": [("DIRECT", "TRANSFORMATION", "masked", True)],
    }
    assert [each["field"] for each in facet["dataset"]] == ["kind"]


def test_every_facet_is_well_formed() -> None:
    for dataset in [each for side in datasets_of(LINEAGE) for each in side]:
        for name, facet in dataset["facets"].items():
            assert facets.problem("dataset", name, msgspec.json.encode(facet)) is None


def test_nothing_known_is_no_facet() -> None:
    assert datasets_of(ConnectorLineage("source", (), (Side(TOPIC),))) == (
        [],
        [{"namespace": "kafka://k:9092", "name": "orders", "facets": {}}],
    )
