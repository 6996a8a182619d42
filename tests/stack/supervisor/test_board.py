from io import StringIO

import pytest
from rich.console import Console

from headwater.stack.supervisor.board import MARKS, Board, Row, State


def board(*names: str, terminal: bool = False) -> tuple[Board, StringIO]:
    text = StringIO()
    made = Board(Console(file=text, width=200, force_terminal=terminal))
    made.add(Row(name, f"at {name}") for name in names)
    return made, text


def test_every_state_has_a_mark() -> None:
    assert set(MARKS) == set(State)


def test_where_nothing_can_be_redrawn_each_change_is_a_line() -> None:
    made, text = board("kafka")
    with made.open():
        made.show("kafka", State.STARTING, "does not listen")
        made.show("kafka", State.STARTING, "does not answer")
        made.show("kafka", State.HEALTHY)
        made.show("kafka", State.DEAD, "ended with exit code 1")
    lines = text.getvalue().splitlines()
    assert lines[0] == "◐ kafka starting"
    assert lines[1].startswith("● kafka healthy after 0.")
    assert lines[1].endswith("at kafka")
    assert lines[2].startswith("✕ kafka dead")
    assert lines[2].endswith("ended with exit code 1")
    assert len(lines) == 3


def test_a_terminal_shows_a_row_for_each_service(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    made, text = board("kafka", "registry", terminal=True)
    with made.open():
        made.show("kafka", State.STARTING, "does not listen")
        made.show("kafka", State.HEALTHY)
        made.say("port 9092 is held by someone")
    shown = text.getvalue()
    for part in ("service", "kafka", "healthy", "registry", "waiting", "at kafka", "held by someone"):
        assert part in shown


def test_time_stands_still_while_a_service_rests(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr("headwater.stack.supervisor.board.time.monotonic", lambda: now[0])
    made, _ = board("kafka")
    made.show("kafka", State.PREPARING)
    now[0] = 102.0
    made.show("kafka", State.STARTING)
    now[0] = 105.0
    made.show("kafka", State.HEALTHY)
    now[0] = 200.0
    assert made.rows["kafka"].seconds == 5.0
    made.show("kafka", State.STOPPING)
    now[0] = 201.0
    made.show("kafka", State.STOPPED)
    assert made.rows["kafka"].seconds == 1.0
