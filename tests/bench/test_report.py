"""Figures say whether they reach their targets, and by how much they do not."""

from pathlib import Path

import pytest

from bench.report import Figure, Target, machine, markdown, shown


@pytest.mark.parametrize(
    ("value", "target", "more_is_better", "verdict"),
    [
        (0.5, 1.0, False, "met"),
        (1.0, 1.0, False, "met"),
        (1.5, 1.0, False, "missed by 50%"),
        (0.6, 0.5, True, "met"),
        (0.25, 0.5, True, "missed by 50%"),
    ],
)
def test_a_verdict_says_by_how_much_a_target_is_missed(
    value: float, target: float, more_is_better: bool, verdict: str
) -> None:
    figure = Figure("group", "what", value, "ms", target=Target(target, "rule"), more_is_better=more_is_better)
    assert figure.verdict == verdict


def test_a_figure_without_a_target_has_no_verdict() -> None:
    assert (Figure("group", "what", 1, "ms").met, Figure("group", "what", 1, "ms").verdict) == (None, "")


def test_times_better_looks_the_right_way() -> None:
    assert Figure("group", "cost", 2, "ms", marquez=10).times == 5
    assert Figure("group", "rate", 10, "events/s", marquez=2, more_is_better=True).times == 5


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(0.0123, "s", "12.3 ms"), (1.5, "s", "1.5 s"), (1234.5, "events/s", "1,234 events/s"), (None, "s", "")],
)
def test_values_are_shown_to_three_digits_with_a_fitting_unit(value: float | None, unit: str, text: str) -> None:
    assert shown(value, unit) == text


def test_the_markdown_has_a_row_a_figure_and_names_the_machine(tmp_path: Path) -> None:
    figures = [Figure("ingest", "small", 1, "ms"), Figure("ingest", "medium", 2, "ms", peer=3)]
    text = markdown(figures, True, machine(tmp_path))
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert len(rows) == 4
    assert len({row.count("|") for row in rows}) == 1
    assert "peer" in rows[0]
    assert "Machine: " in text
