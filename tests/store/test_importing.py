"""Loading events from files: any of the usual forms, and from where an earlier import left off."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from sqlalchemy import select

from headwater.errors import HeadwaterError
from headwater.openlineage.events import Event
from headwater.store import tables
from headwater.store.database import Database
from headwater.store.importing import import_file
from headwater.store.packing import unpack
from tests.assertions import observable
from tests.events import run_event
from tests.store.folding import empty, fold_batches

EVENTS = [run_event("START", run, inputs=["orders"], at=run) for run in range(1, 41)]


def lines(events: Iterable[Event]) -> bytes:
    return b"".join(event.body + b"\n" for event in events)


def pretty(event: Event) -> bytes:
    return msgspec.json.format(event.body, indent=2)


FORMS = {
    "a line each": lines(EVENTS),
    "without a last newline": lines(EVENTS).rstrip(),
    "with blank lines": lines(EVENTS).replace(b"\n", b"\n\n  \n"),
    "with Windows line ends": lines(EVENTS).replace(b"\n", b"\r\n"),
    "an array": b"[" + b",".join(event.body for event in EVENTS) + b"]",
    "an array over many lines": b" [\n" + b",\n".join(pretty(event) for event in EVENTS) + b"\n]\n",
    "gzip": gzip.compress(lines(EVENTS)),
    "a gzipped array": gzip.compress(b"[" + b",".join(event.body for event in EVENTS) + b"]"),
}


@pytest.mark.parametrize("content", FORMS.values(), ids=FORMS.keys())
def test_events_are_read_in_any_of_the_usual_forms(database: Database, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "events"
    file.write_bytes(content)
    counts = import_file(database, file)
    assert (counts["events"], counts["rejected"]) == (40, 0)
    assert len(observable(database)["runs"]) == 40


def test_one_event_over_many_lines_is_one_event(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "event.json"
    file.write_bytes(pretty(EVENTS[0]))
    assert import_file(database, file)["events"] == 1


@pytest.mark.parametrize(
    "content", [b"", b"\n\n", b"[]", gzip.compress(b"")], ids=["empty", "blank", "no events", "gzip"]
)
def test_a_file_without_events_is_no_error(database: Database, tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "events"
    file.write_bytes(content)
    assert import_file(database, file)["events"] == 0


def test_bad_lines_are_kept_and_do_not_stop_the_rest(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(EVENTS[0].body + b'\n{"half":\n{}\n' + EVENTS[1].body)
    counts = import_file(database, file)
    assert (counts["events"], counts["rejected"]) == (2, 2)
    with database.read() as connection:
        kept = [
            unpack(row.body) for row in connection.execute(select(tables.diagnostic).order_by(tables.diagnostic.c.id))
        ]
    assert kept == [b'{"half":', b"{}"]


def test_old_events_are_history_and_not_late(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(lines([run_event("START", 1, at="2001-01-01T00:00:00Z")]))
    assert "late" not in import_file(database, file)


def test_a_file_that_was_done_is_not_done_again(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(lines(EVENTS))
    import_file(database, file)
    again = import_file(database, file)
    assert (again["events"], again["duplicate"]) == (0, 0)
    file.write_bytes(lines(EVENTS) + lines([run_event("COMPLETE", 1, at=99)]))
    assert import_file(database, file)["events"] == 1


def test_a_new_start_reads_all_and_finds_only_duplicates(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(lines(EVENTS))
    import_file(database, file)
    again = import_file(database, file, restart=True)
    assert (again["events"], again["duplicate"]) == (0, 40)


def test_another_file_in_the_same_place_is_read_from_its_start(database: Database, tmp_path: Path) -> None:
    file = tmp_path / "events.jsonl"
    file.write_bytes(lines(EVENTS[:20]))
    import_file(database, file)
    file.write_bytes(lines(EVENTS[20:]))
    assert import_file(database, file)["events"] == 20


@pytest.mark.parametrize("form", ["a line each", "an array", "gzip"])
def test_an_import_that_is_cut_short_goes_on_where_it_was(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    class Cut(Exception):
        pass

    calls = []

    def cut(place: int) -> None:
        calls.append(place)
        if len(calls) == 2:
            raise Cut

    monkeypatch.setattr("headwater.store.importing._EVENTS_PER_COMMIT", 7)
    file = tmp_path / "events"
    file.write_bytes(FORMS[form])
    with pytest.raises(Cut):
        import_file(database, file, progress=cut)
    assert len(observable(database)["events"]) == 14
    rest = import_file(database, file)
    assert (rest["events"], rest["duplicate"]) == (26, 0)
    imported = observable(database)
    empty(database)
    fold_batches(database, [EVENTS])
    assert imported == observable(database)


@pytest.mark.parametrize(
    ("name", "content"),
    [("missing", None), ("broken.gz", gzip.compress(lines(EVENTS))[:-20]), ("broken.json", b"[1, 2")],
    ids=["missing", "half a gzip file", "half an array"],
)
def test_a_file_that_cannot_be_read_is_told_with_its_name(
    database: Database, tmp_path: Path, name: str, content: bytes | None
) -> None:
    file = tmp_path / name
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(HeadwaterError, match=name.partition(".")[0]):
        import_file(database, file)
