"""Commands of a Spark Connect client, as the fields of its messages."""

from typing import Any

import pytest

from headwater.capture.spark.connect_commands import Table, Work, plain, work_of
from headwater.capture.spark.connect_session import job_name
from headwater.capture.spark.datasets import Asked, sink_identity, source_identity


def table(name: str) -> dict[str, Any]:
    return {"read": {"named_table": {"unparsed_identifier": name}}}


def files(path: str) -> dict[str, Any]:
    return {"read": {"data_source": {"format": "json", "paths": [path]}}}


JOIN = {"project": {"input": {"join": {"left": table("shop.orders"), "right": files("s3a://raw/suppliers")}}}}


def names(work: Work | None) -> tuple[list[str], list[str]]:
    """What is read and written, in words."""
    assert work is not None
    sides = ((work.inputs, source_identity), (work.outputs, sink_identity))
    found = [
        [place.name if isinstance(place, Table) else named(place).names[0].name for place in places]
        for places, named in sides
    ]
    return found[0], found[1]


@pytest.mark.parametrize(
    ("command", "job", "reads", "writes"),
    [
        (
            {"write_operation": {"input": JOIN, "source": "parquet", "path": "/data/totals"}},
            "app.save.totals",
            ["shop.orders", "suppliers"],
            ["/data/totals"],
        ),
        (
            {"write_operation": {"input": table("a"), "table": {"table_name": "shop.totals", "save_method": 1}}},
            "app.save_as_table.shop_totals",
            ["a"],
            ["shop.totals"],
        ),
        (
            {"write_operation_v2": {"input": table("a"), "table_name": "lake.shop.totals", "mode": 4}},
            "app.append.lake_shop_totals",
            ["a"],
            ["lake.shop.totals"],
        ),
        (
            {
                "write_operation": {
                    "input": {"set_op": {"left_input": table("a"), "right_input": table("a")}},
                    "path": "/b",
                }
            },
            "app.save.b",
            ["a"],
            ["/b"],
        ),
        (
            {"sql_command": {"sql": "INSERT INTO `lake`.shop.totals SELECT * FROM orders"}},
            "app.insert_into.lake_shop_totals",
            [],
            ["lake.shop.totals"],
        ),
        (
            {"sql_command": {"sql": "create or replace table t as select 1"}},
            "app.create.t",
            [],
            ["t"],
        ),
        ({"sql_command": {"sql": "merge into t using u on t.id = u.id"}}, "app.merge_into.t", [], ["t"]),
    ],
)
def test_a_command_names_what_it_reads_and_writes(
    command: dict[str, Any], job: str, reads: list[str], writes: list[str]
) -> None:
    work = work_of(command)
    assert names(work) == (reads, writes)
    assert work is not None
    assert job_name(work, "app") == job


@pytest.mark.parametrize(
    "command",
    [
        {"sql_command": {"sql": "SELECT * FROM orders"}},
        {"sql_command": {"sql": "describe table extended orders"}},
        {"create_dataframe_view": {"name": "v"}},
        {},
    ],
)
def test_what_changes_no_data_is_no_work(command: dict[str, Any]) -> None:
    assert work_of(command) is None


def test_a_stream_is_named_and_says_whether_it_ends_by_itself() -> None:
    kafka = {"kafka.bootstrap.servers": "k:9092", "subscribe": "orders"}
    start = {
        "input": {"read": {"data_source": {"format": "kafka", "options": kafka}}},
        "format": "parquet",
        "path": "/data/orders",
        "query_name": "ingest",
    }
    work = work_of({"write_stream_operation_start": {**start, "available_now": True}})
    assert names(work) == (["orders"], ["/data/orders"])
    assert work is not None
    assert (work.stream, work.ends, job_name(work, "app")) == (True, True, "ingest")
    endless = work_of({"write_stream_operation_start": {**start, "processing_time_interval": "5 seconds"}})
    assert endless is not None
    assert not endless.ends


class Field:
    def __init__(self, name: str) -> None:
        self.name = name


class Message:
    """As much of a protobuf message as is used of one."""

    def __init__(self, **fields: Any) -> None:
        self._fields = fields

    def ListFields(self) -> list[tuple[Field, Any]]:
        return [(Field(name), value) for name, value in self._fields.items()]


def test_a_message_becomes_plain_without_the_data_it_brings() -> None:
    message = Message(write=Message(path="/b", data=b"\0" * 10, options={"a": "b"}, columns=["x"], mode=2))
    assert plain(message) == {"write": {"path": "/b", "data": "", "options": {"a": "b"}, "columns": ["x"], "mode": 2}}


def test_a_sink_without_a_place_has_a_name_all_the_same() -> None:
    work = work_of({"write_operation": {"input": {}, "source": "noop"}})
    assert work is not None
    assert job_name(work, "app") == "app.save.noop"
    assert isinstance(work.outputs[0], Asked)
