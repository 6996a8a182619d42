"""What is shown of a pipeline: rows, what is lacking, and who is to blame."""

import json
from io import StringIO
from typing import cast

from rich.console import Console

from headwater.stack.pipeline.job_runs import KeptJob
from headwater.stack.pipeline.view import as_json, as_line, as_table, lines
from headwater.stack.pipeline.watcher import Seen, Watcher

SEEN = Seen(
    shop={"orders": 1200, "bids": 900},
    topics={"orders": 1150, "bids": 900, "supplier-stats": 64},
    behind={"iceberg-ingestion": 50, "supplier-stats": 20, "orders-s3-sink": 1150, "orders-iceberg-sink": 0},
    connectors={"orders-source": "running", "orders-iceberg-sink": "connector failed: no such host"},
)


class Looked:
    """Stands for a watcher that has looked: what it saw is given, so that no service is needed to show it."""

    def __init__(self, seen: Seen | None, trouble: str = "") -> None:
        self.seen, self.trouble = seen, trouble


def looked(seen: Seen | None, trouble: str = "") -> Watcher:
    return cast(Watcher, Looked(seen, trouble))


class Kept:
    """Stands for a job in some state."""

    def __init__(self, state: str) -> None:
        self.said = state

    def state(self) -> str:
        return self.said


JOBS = {
    name: cast(KeptJob, Kept(state))
    for name, state in (("orders-generator", "running"), ("iceberg-ingestion", "died, starts again in 4 s"))
}


def test_a_place_has_what_its_topic_has_less_what_is_behind() -> None:
    rows = {line.where: (line.rows, line.behind) for line in lines(SEEN)}
    assert rows["shop, orders"] == (1200, None)
    assert rows["topic orders"] == (1150, 50)
    assert rows["table orders"] == (1100, 50)
    assert rows["archive in S3"] == (0, 1150)
    assert rows["topic supplier-stats"] == (64, 20)
    assert rows["table bids"] == (900, 0)


def test_the_table_shows_each_place_and_each_state() -> None:
    out = StringIO()
    Console(file=out, width=200).print(as_table(JOBS, looked(SEEN, "no answer from the broker")))
    shown = out.getvalue()
    for words in ("1,100", "died, starts again in 4 s", "connector failed: no such host", "no answer from the broker"):
        assert words in shown
    assert shown.count("orders-generator") == 2


def test_a_line_names_what_is_unwell() -> None:
    line = as_line(JOBS, looked(SEEN))
    assert line.startswith("shop, orders 1,200, ")
    assert "iceberg-ingestion died" in line
    assert "orders-generator" not in line


def test_before_the_first_look_there_are_only_states() -> None:
    assert json.loads(json.dumps(as_json(JOBS, looked(None)))) == {
        "places": [],
        "states": {"orders-generator": "running", "iceberg-ingestion": "died, starts again in 4 s"},
        "trouble": None,
    }
