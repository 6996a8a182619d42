"""The generated events are what bench/events.py says they are."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from statistics import mean
from typing import Any

import pytest

from bench import events
from bench.graph import UPSTREAM_DATASETS, middle
from headwater.openlineage.events import decode_event

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
Maker = Callable[[int, datetime], Iterator[bytes]]
SETS: list[tuple[Maker, int, int]] = [
    (events.small, 300, 500),
    (events.medium, 22_000, 27_000),
    (events.compatibility, 4_000, 6_000),
    (events.mixed, 3_000, 5_000),
    (events.bulk, 500, 3_000),
]


def decoded(bodies: Iterator[bytes]) -> list[dict[str, Any]]:
    return [json.loads(body) for body in bodies]


@pytest.mark.parametrize(("make", "least", "most"), SETS)
def test_every_event_is_new_valid_and_as_large_as_it_says(make: Maker, least: int, most: int) -> None:
    made = list(make(200, START))
    assert len(set(made)) == len(made) >= 200
    assert least <= mean(map(len, made)) <= most
    for body in made:
        decode_event(body)


@pytest.mark.parametrize("make", [make for make, _, _ in SETS])
def test_the_same_moment_makes_the_same_events_and_another_moment_others(make: Maker) -> None:
    assert list(make(50, START)) == list(make(50, START))
    later = START.replace(hour=13)
    assert not set(make(50, START)) & set(make(50, later))


@pytest.mark.parametrize("make", [events.small, events.medium])
def test_a_run_starts_and_completes_one_after_the_other(make: Maker) -> None:
    made = decoded(make(100, START))
    for first, second in zip(made[::2], made[1::2], strict=True):
        assert first["run"]["runId"] == second["run"]["runId"]
        assert (first["eventType"], second["eventType"]) == ("START", "COMPLETE")
    assert len({event["run"]["runId"] for event in made}) == 50


def test_each_round_of_the_compatibility_set_has_runs_of_its_own() -> None:
    lines = len(events.COMPATIBILITY.read_text("utf-8").splitlines())
    made = decoded(events.compatibility(2 * lines, START))
    first, second = ({event["run"]["runId"] for event in made[at : at + lines]} for at in (0, lines))
    assert first
    assert not first & second


def test_the_layered_graph_is_as_large_as_the_one_marquez_was_asked_about() -> None:
    made = decoded(events.layered(START))
    assert len({event["job"]["name"] for event in made}) == 1000
    assert {len(event["inputs"]) for event in made} == {2}
    assert {len(event["outputs"][0]["facets"]["schema"]["fields"]) for event in made} == {20}
    names = {(d["name"]) for event in made for d in (*event["inputs"], *event["outputs"])}
    assert 1000 < len(names) <= 1050
    above: dict[str, set[str]] = {}
    for event in made:
        output = event["outputs"][0]["name"]
        above[output] = {output}.union(*(above.get(d["name"], {d["name"]}) for d in event["inputs"]))
    assert len(above[events.layered_name(*middle())]) == UPSTREAM_DATASETS


def test_bulk_has_ten_datasets_a_job_and_blocks_of_one_shape() -> None:
    made = decoded(events.bulk(200, START))
    jobs = [event for event in made if event["job"]["namespace"] == events.BULK_NAMESPACE]
    written = {d["name"] for event in made for d in event["outputs"]}
    read = {d["name"] for event in made for d in event["inputs"]}
    assert (len(jobs), len(written)) == (200, 2000)
    assert read <= written
    assert [len(event["inputs"]) for event in jobs[:100]] == [len(event["inputs"]) for event in jobs[100:]]
