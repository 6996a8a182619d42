"""The journal: what is written down before, and what after, an event is sent."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.connect.cluster import Cluster
from headwater.capture.connect.journal import LONGEST_LEASE, Journal, Place
from headwater.capture.connect.life_cycle import Run, Seen, Step, step
from headwater.capture.connect.memory import Remembered
from headwater.capture.connect.status import State, Status, Task, Whole
from headwater.capture.connect.watched import Watched
from headwater.capture.emitter import Emitter
from headwater.capture.leases import Leases

CLUSTER = Cluster("connect:8083", "http://connect:8083")
RUNNING = Status("sink", Whole("RUNNING"), (Task(0, "RUNNING"),), "sink")


class Watchful(Emitter):
    """Notes what was written down at the moment of each event; a crash there cannot be brought about otherwise."""

    def __init__(self, folder: Path) -> None:
        super().__init__(None, folder / "outbox", disabled=True)
        self.folder = folder
        self.seen: list[tuple[str, list[str]]] = []

    def emit(self, event: Mapping[str, Any] | bytes | str | object) -> bool:
        assert isinstance(event, Mapping)
        written = "".join(file.read_text() for file in self.folder.glob("connect/*.json"))
        known = [word for word in ("run1", "run2", "ABORT") if word in written]
        self.seen.append((event["eventType"], known))
        return True


def journal(folder: Path) -> tuple[Journal, Watchful]:
    emitter = Watchful(folder)
    made = Journal(CLUSTER, Place(emitter, Leases(None, lambda: False, 30), folder / "connect"), "fh-local")
    made.open()
    made.greet("kafka", "4.3.1")
    return made, emitter


def take(made: Journal, watched: Watched, taken: Step) -> None:
    watched.run = taken.run
    made.remember("sink", taken.run)
    made.send(made.outgoing(watched, report) for report in taken.reports)


def test_a_start_is_written_down_before_it_is_sent_and_an_end_after(tmp_path: Path) -> None:
    made, emitter = journal(tmp_path)
    watched = Watched("sink")
    with made:
        take(made, watched, step(None, Seen(RUNNING, "v1"), 1, lambda: "run1"))
        take(made, watched, step(watched.run, Seen(RUNNING, "v2"), 2, lambda: "run2"))
        take(made, watched, step(watched.run, None, 3, lambda: "run3"))
    assert emitter.seen == [
        ("START", ["run1"]),
        ("ABORT", ["run1"]),
        ("START", ["run2"]),
        ("ABORT", ["run2"]),
    ]


def test_a_failure_at_once_is_sent_after_its_start(tmp_path: Path) -> None:
    made, emitter = journal(tmp_path)
    failed = Status("sink", Whole("RUNNING"), (Task(0, "FAILED"),), "sink")
    with made:
        take(made, Watched("sink"), step(None, Seen(failed, "v1"), 1, lambda: "run1"))
    assert [type for type, _ in emitter.seen] == ["START", "FAIL"]


def test_runs_of_another_kafka_cluster_are_not_ours(tmp_path: Path) -> None:
    made, _ = journal(tmp_path)
    with made:
        made.remember("sink", Run("run1", 1, "v1", State.RUNNING, 1, State.RUNNING))
        assert list(made.greet("kafka", "4.3.1")) == ["sink"]
        assert list(made.greet("another", "4.3.1")) == []


def test_a_disk_that_takes_nothing_costs_one_warning_and_no_event(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    made, emitter = journal(tmp_path)

    def full(_memory: object, _known: Remembered) -> None:
        raise OSError("no space left")

    monkeypatch.setattr("headwater.capture.connect.memory.Memory.save", full)
    watched = Watched("sink")
    with made:
        for number in range(3):
            take(made, watched, step(watched.run, Seen(RUNNING, f"v{number}"), number, lambda: "run1"))
    assert len(emitter.seen) == 5
    assert len([record for record in caplog.records if "cannot be kept" in record.getMessage()]) == 1


def test_many_runs_have_longer_leases_and_never_shorter_ones(tmp_path: Path) -> None:
    leases = Leases(None, lambda: False, 30)
    with Journal(CLUSTER, Place(Watchful(tmp_path), leases, tmp_path / "connect"), "fh-local") as made:
        for runs, seconds in ((3, 30), (1000, 250), (10, 250), (100_000, LONGEST_LEASE)):
            made.set_lease(runs)
            assert leases.seconds == seconds
