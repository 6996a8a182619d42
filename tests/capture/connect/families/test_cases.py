"""Every family by its cases: text files that say how a connector is set and what its lineage is."""

from pathlib import Path

import pytest

from headwater.capture.connect.families import FAMILIES, family_of
from headwater.capture.connect.families.iceberg import identity
from headwater.capture.spark.datasets import table_identity
from tests.capture.connect.cases import answer, read

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_a_connector_has_the_lineage_that_its_case_says(file: Path) -> None:
    case = read(file)
    found = answer(case)
    assert found == case.parts["lineage"], case.sentence
    assert "never-shown" not in "".join(found)


def test_every_family_has_a_case() -> None:
    met = {read(file).settings("config").get("connector.class", "") for file in CASES}
    titles = {FAMILIES[name].title for name in met if name in FAMILIES}
    assert {family.title for family in FAMILIES.values()} - titles == set()


def test_a_table_has_the_names_that_spark_has_for_it() -> None:
    properties = {"type": "hive", "uri": "thrift://metastore:9083", "warehouse": "s3a://warehouse/"}
    config = {"iceberg.catalog": "demo_ib", **{f"iceberg.catalog.{key}": value for key, value in properties.items()}}
    for table, place in (("default.orders", "s3a://warehouse/orders"), ("sales.bids", "s3a://warehouse/sales.db/bids")):
        spark = table_identity(place, "demo_ib", table, properties)
        name, symlinks, unknown = identity(config, table, {})
        assert ((name,), symlinks, unknown) == (spark.names, spark.symlinks, "")


def test_a_class_is_known_without_its_package_where_only_one_family_has_it() -> None:
    assert family_of({"connector.class": "PostgresConnector"}).title == "Debezium PostgreSQL"
    assert family_of({"connector.class": "FileStreamSink"}).title == "File sink"
    assert family_of({"connector.class": "IcebergSinkConnector"}).title == "Iceberg sink"
    assert family_of({"connector.class": "S3SinkConnector"}).title == "unknown sink"
