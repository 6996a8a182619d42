import pytest

from headwater.pipeline.maintain import main, table_lines
from headwater.pipeline.upkeep import Figures, Upkeep


def figures(files: int) -> Figures:
    return Figures(
        rows=1000, files=files, bytes=1_000_000, manifests=2, snapshots=3, kept_files=files, kept_bytes=2_000_000
    )


def test_the_figures_are_shown_before_and_after() -> None:
    done = Upkeep(
        table="demo_ib.default.orders",
        before=figures(1200),
        after=figures(3),
        rewritten_files=1200,
        expired_snapshots=7,
        orphans=0,
    )
    lines = list(table_lines([done]))
    assert lines[0] == "demo_ib.default.orders: 1,200 files rewritten, 7 snapshots expired, 0 orphans removed"
    assert [line.split() for line in lines[1:4]] == [
        ["before", "after"],
        ["rows", "1,000", "1,000"],
        ["files", "1,200", "3"],
    ]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--keep", "tomorrow"], "'tomorrow' is not a length of time; expected one such as 30m, 12h or 3d"),
        (["--orphans", "1h"], "'1h' is too short; a younger file may be part of a commit: expected 24h"),
        (["--keep-last", "0"], "'0' is not a whole number of at least 1"),
    ],
)
def test_an_option_that_would_do_harm_is_refused(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code == 2
    assert complaint in capsys.readouterr().err
