"""The settings of the lifecycle transform."""

from headwater.capture.connect.lineage import lineage_of, topics_wanted
from headwater.capture.connect.reference_smt import is_reference_smt, job_name, reference_of, without_smt

KIND = "io.factorhouse.smt.OpenLineageLifecycleSmt"
CONFIG = {
    "name": "orders-iceberg-sink",
    "connector.class": "io.tabular.iceberg.connect.IcebergSinkConnector",
    "topics": "orders,bids",
    "iceberg.tables": "default.orders",
    "iceberg.catalog.type": "hive",
    "iceberg.catalog.uri": "thrift://metastore:9083",
    "iceberg.catalog.warehouse": "s3a://warehouse/",
    "transforms": "openlineage, mask",
    "transforms.openlineage.type": KIND,
    "transforms.openlineage.connector.name": "orders-iceberg",
    "transforms.openlineage.topics": "orders,bids",
    "transforms.openlineage.dataset.namespace": "s3://warehouse",
    "transforms.openlineage.dataset.names": "orders,all_bids",
    "transforms.openlineage.key.converter.schema.read": "false",
    "transforms.mask.type": "org.apache.kafka.connect.transforms.MaskField$Value",
    "transforms.mask.fields": "card",
}


def test_the_settings_name_job_and_datasets() -> None:
    found = reference_of(CONFIG)
    assert found
    assert (found.job, found.topics, found.namespace, found.names) == (
        "orders-iceberg",
        ("orders", "bids"),
        "s3://warehouse",
        ("orders", "all_bids"),
    )
    assert (found.reads_key, found.reads_value) == (False, True)
    assert job_name(CONFIG) == "orders-iceberg"


def test_a_connector_without_the_transform_names_nothing() -> None:
    assert reference_of({"transforms": "a", "transforms.a.type": "x.Y"}) is None
    assert job_name({}) == ""


def test_a_worker_without_the_class_gets_the_chain_without_it_and_the_settings_still_count() -> None:
    left = without_smt(CONFIG)
    assert left["transforms"] == "mask"
    assert reference_of(left) == reference_of(CONFIG)
    alone = without_smt({"transforms": "openlineage", "transforms.openlineage.type": KIND})
    assert alone == {"transforms.openlineage.type": KIND}
    assert without_smt({"tasks.max": "1"}) == {"tasks.max": "1"}


def test_the_class_is_known_in_any_package() -> None:
    assert is_reference_smt(KIND)
    assert is_reference_smt("com.example.OpenLineageLifecycleSmt")
    assert not is_reference_smt("com.example.OtherSmt")


def test_each_topics_dataset_has_the_name_at_its_place_in_the_list() -> None:
    found = lineage_of(CONFIG, ["orders", "bids"], {}, "kafka://k:9092")
    assert [(side.dataset.namespace, side.dataset.name) for side in found.outputs] == [
        ("s3://warehouse", "orders"),
        ("s3://warehouse", "all_bids"),
    ]


def test_a_source_whose_settings_name_no_topic_has_the_transforms() -> None:
    config = {
        "connector.class": "com.example.OddSource",
        "transforms.openlineage.type": KIND,
        "transforms.openlineage.topics": "odd",
    }
    assert topics_wanted(config).topics == ("odd",)
