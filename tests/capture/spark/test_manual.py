import logging
import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter
from headwater.capture.spark.manual import Dataset, Given, run
from headwater.openlineage.events import decode_event
from tests.capture.backends import Told, told, wait_for
from tests.capture.processes import running
from tests.server.serving import free_port

ORDERS, TOTALS = ("postgres://shop:5432", "shop.public.orders"), ("s3://warehouse", "totals")
Event = dict[str, Any]


@dataclass
class Heard:
    """Runs of a test go to a backend of its own."""

    emitter: Emitter
    backend: Told

    def events(self) -> list[Event]:
        assert self.emitter.flush(30)
        bodies = [body for request in self.backend.accepted for body in request.events]
        for body in bodies:
            decode_event(body)
        return [msgspec.json.decode(body) for body in bodies]


@pytest.fixture
def heard(tmp_path: Path) -> Iterator[Heard]:
    with told() as backend:
        emitter = Emitter(Destination(backend.url), tmp_path / "outbox")
        yield Heard(emitter, backend)
        emitter.close(5)


def kinds(events: list[Event]) -> list[str]:
    return [event["eventType"] for event in events]


def names(datasets: list[Event]) -> list[tuple[str, str]]:
    return [(each["namespace"], each["name"]) for each in datasets]


def test_a_block_that_ends_well_is_a_run_that_completes(heard: Heard) -> None:
    with run("totals", [ORDERS], [TOTALS], namespace="shop", emitter=heard.emitter) as this:
        pass
    start, running_, complete = heard.events()
    assert kinds([start, running_, complete]) == ["START", "RUNNING", "COMPLETE"]
    assert {event["run"]["runId"] for event in (start, running_, complete)} == {this.run_id}
    assert {(event["job"]["namespace"], event["job"]["name"]) for event in (start, complete)} == {("shop", "totals")}
    assert (start["inputs"], start["outputs"]) == ([], [])
    for event in (running_, complete):
        assert (names(event["inputs"]), names(event["outputs"])) == ([ORDERS], [TOTALS])


def test_a_run_is_leased_until_its_end(heard: Heard) -> None:
    with run("totals", [ORDERS], emitter=heard.emitter):
        pass
    start, running_, complete = heard.events()
    assert start["run"]["facets"]["headwater_lease"]["seconds"] == 30
    assert "headwater_lease" in running_["run"]["facets"]
    assert "headwater_lease" not in complete["run"]["facets"]


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (ValueError("no price"), "FAIL", "ValueError: no price"),
        (SystemExit(2), "FAIL", "exited with 2"),
        (KeyboardInterrupt(), "ABORT", "interrupted"),
        (SystemExit(0), "COMPLETE", None),
    ],
    ids=repr,
)
def test_the_way_out_of_a_block_is_the_end_of_its_run(
    error: BaseException, kind: str, message: str | None, heard: Heard
) -> None:
    def fails() -> None:
        with run("totals", [ORDERS], emitter=heard.emitter):
            raise error

    with pytest.raises(type(error)) as caught:
        fails()
    assert caught.value is error
    last = heard.events()[-1]
    assert last["eventType"] == kind
    said = last["run"]["facets"].get("errorMessage")
    assert (said and said["message"]) == message
    if isinstance(error, ValueError):
        assert "in fails" in said["stackTrace"]
        assert said["programmingLanguage"] == "PYTHON"


def test_datasets_can_be_added_while_it_runs(heard: Heard) -> None:
    with run("totals", emitter=heard.emitter) as this:
        this.add_input(ORDERS)
        this.add_output(Dataset(*TOTALS, schema={"total": "decimal(10,2)"}), ("s3://warehouse", "rejects"))
    events = heard.events()
    assert kinds(events) == ["START", "RUNNING", "RUNNING", "COMPLETE"]
    assert names(events[-1]["inputs"]) == [ORDERS]
    assert names(events[-1]["outputs"]) == [TOTALS, ("s3://warehouse", "rejects")]


def test_a_dataset_may_bring_its_schema_and_where_its_columns_come_from(heard: Heard) -> None:
    made = Dataset(*TOTALS, schema={"total": "decimal(10,2)"}, columns={"total": [(*ORDERS, "price")]})
    with run("totals", [ORDERS], [made], emitter=heard.emitter):
        pass
    facets = heard.events()[-1]["outputs"][0]["facets"]
    assert facets["schema"]["fields"] == [{"name": "total", "type": "decimal(10,2)"}]
    (source,) = facets["columnLineage"]["fields"]["total"]["inputFields"]
    assert (source["namespace"], source["name"], source["field"]) == (*ORDERS, "price")


def test_a_run_inside_another_is_part_of_it(heard: Heard) -> None:
    with run("outer", namespace="shop", emitter=heard.emitter) as outer:
        with (
            run("middle", namespace="shop", emitter=heard.emitter) as middle,
            run("inner", namespace="shop", emitter=heard.emitter),
        ):
            pass
        with run("second", namespace="shop", emitter=heard.emitter):
            pass
    parents = {event["job"]["name"]: event["run"]["facets"].get("parent") for event in heard.events()}
    assert parents["outer"] is None
    assert parents["middle"]["run"]["runId"] == outer.run_id
    assert parents["inner"]["run"]["runId"] == middle.run_id
    assert parents["inner"]["root"]["run"]["runId"] == outer.run_id
    assert parents["second"]["run"]["runId"] == outer.run_id
    assert parents["second"]["job"] == {"namespace": "shop", "name": "outer"}


@pytest.mark.parametrize("given", [None, "orders", ("one",), ("a", "b", "c"), (1, 2), object], ids=repr)
def test_what_is_no_dataset_is_left_out_with_a_word(
    given: Given, heard: Heard, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), run("totals", [given], [TOTALS], emitter=heard.emitter):
        pass
    assert names(heard.events()[-1]["outputs"]) == [TOTALS]
    assert "expected (namespace, name) or a Dataset" in caplog.text


def test_a_block_does_not_notice_that_nobody_listens(tmp_path: Path) -> None:
    emitter = Emitter(Destination(f"http://127.0.0.1:{free_port()}"), tmp_path / "outbox")
    with run("totals", [ORDERS], [TOTALS], emitter=emitter):
        done = True
    assert done
    assert emitter.stats().waiting == 3
    emitter.close(0)


PROGRAM = """
    import signal, time
    from headwater.capture.spark.manual import run

    # Whatever starts the tests in the background has them ignore it.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    with run("totals", inputs=[("postgres://shop:5432", "shop.public.orders")]):
        print("inside", flush=True)
        time.sleep(60)
"""


@pytest.mark.parametrize(("number", "message"), [(signal.SIGTERM, "ended by SIGTERM"), (signal.SIGINT, "interrupted")])
def test_a_process_that_is_told_to_end_reports_that_it_was(
    number: signal.Signals, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with told() as backend:
        monkeypatch.setenv("OPENLINEAGE_URL", backend.url)
        monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "shop")
        monkeypatch.setenv("HEADWATER_OUTBOX", str(tmp_path))
        with running(PROGRAM) as process:
            assert process.stdout is not None
            assert process.stdout.readline() == "inside\n"
            process.send_signal(number)
            assert process.wait(30) == -number
        wait_for(lambda: len([body for request in backend.accepted for body in request.events]) == 3)
    last = msgspec.json.decode([body for request in backend.accepted for body in request.events][-1])
    assert (last["eventType"], last["job"]["namespace"]) == ("ABORT", "shop")
    assert last["run"]["facets"]["errorMessage"]["message"] == message
