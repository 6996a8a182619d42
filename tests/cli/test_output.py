import pytest

from headwater.cli import output


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("public.orders", "public.orders"),
        ("[red]not markup[/red]", "[red]not markup[/red]"),
        ("line\nbreak", "line\\nbreak"),
        ("\x1b[2Jcleared", "\\x1b[2Jcleared"),
        ("right\u202eleft", "right\\u202eleft"),
        ("👩‍🔬 Ω", "👩‍🔬 Ω"),
    ],
)
def test_a_name_cannot_steer_the_terminal(name: str, printed: str) -> None:
    assert output.safe(name) == printed


@pytest.mark.parametrize(
    ("state", "sign"),
    [
        ("RUNNING", "●"),
        ("START", "●"),
        ("COMPLETED", "✓"),
        ("complete", "✓"),
        ("FAIL", "✕"),
        ("ABORTED", "■"),
        ("LOST", "?"),
        ("NEW", "○"),
        (None, "○"),
        ("SOMETHING", "?"),
    ],
)
def test_each_state_has_its_mark(state: str | None, sign: str) -> None:
    assert output.mark(state).plain == sign


@pytest.mark.parametrize(
    ("time", "printed"),
    [
        ("2026-01-31T08:00:00.123Z", "2026-01-31 08:00:00"),
        ("2026-01-31T08:00:00+02:00", "2026-01-31 06:00:00"),
        ("someday\x07", "someday\\x07"),
        (None, ""),
    ],
)
def test_times_are_in_utc_to_the_second(time: str | None, printed: str) -> None:
    assert output.when(time) == printed


@pytest.mark.parametrize(
    ("milliseconds", "printed"),
    [
        (None, ""),
        (0, "0.0 s"),
        (1_240, "1.2 s"),
        (59_960, "1 min 00 s"),
        (61_000, "1 min 01 s"),
        (7_380_000, "2 h 03 min"),
    ],
)
def test_durations_are_short(milliseconds: int | None, printed: str) -> None:
    assert output.lasting(milliseconds) == printed


@pytest.mark.parametrize(
    ("page", "printed"),
    [
        ((100, 0, 250), "jobs 1-100 of 250; next: --offset 100"),
        ((50, 200, 250), "jobs 201-250 of 250"),
        ((0, 0, 0), "no jobs"),
        ((0, 300, 250), "no jobs from 300 on; there are 250"),
    ],
)
def test_a_page_says_where_it_is_and_how_to_go_on(page: tuple[int, int, int], printed: str) -> None:
    assert output.page_note(*page, "jobs").plain == printed
