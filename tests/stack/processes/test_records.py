import json
from dataclasses import replace

from headwater.stack.lab import Lab
from headwater.stack.processes.marks import orphans
from headwater.stack.processes.records import alive, keep, last_lines, records, running
from headwater.stack.processes.spawning import start
from tests.stack.small import SLEEP, python, wait_for


def test_a_later_process_with_the_same_id_is_not_the_recorded_one(lab: Lab) -> None:
    record = start(lab, "service:kafka", SLEEP)
    keep(lab, replace(record, created=record.created - 3600))
    assert running(lab, "kafka") is None
    assert alive(record)


def test_a_record_that_cannot_be_read_is_as_good_as_none(lab: Lab) -> None:
    start(lab, "service:kafka", SLEEP)
    (lab.home / "run" / "processes" / "kafka.json").write_text("{")
    (lab.home / "run" / "processes" / "registry.json").write_text(json.dumps({"pid": "x"}))
    assert records(lab) == []
    assert len(orphans(lab)) == 1


def test_the_frames_of_a_stack_trace_do_not_hide_the_cause(lab: Lab) -> None:
    trace = "Caused by: no room\\n\\tat org.shop.Disk(Disk.java:1)\\n\\t... 5 more"
    record = start(lab, "service:kafka", python(f"print('{trace}')"))
    wait_for(lambda: alive(record) is None)
    assert last_lines(lab, record, 2) == ["Caused by: no room"]
