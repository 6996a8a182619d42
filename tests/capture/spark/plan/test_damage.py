"""Whatever becomes of a plan on its way, reading it never raises."""

import copy
import json
import random
from typing import Any

import pytest

from headwater.capture.spark.plan import ColumnLineage, column_edges, column_lineage_facet, read_plan
from tests.capture.spark.plan.plans import FILES, load, name_of, sink, sources

ROUNDS = 30
ODD: tuple[Any, ...] = (None, -1, 0, 7, True, "", "x", [], {}, [[]], [{"class": "a.B"}], {"id": "x"}, 1e300)


@pytest.mark.parametrize("name", [name_of(file) for file in FILES if file.parent.name == "spark-3.5"])
def test_a_plan_changed_at_random_is_read_without_an_error(name: str) -> None:
    fixture = load(name)
    chance = random.Random(name)
    for _ in range(ROUNDS):
        broken = json.loads(json.dumps(fixture["plan"]))
        for _ in range(chance.choice((1, 3, 20))):
            damage(broken, chance)
        check(json.dumps(broken), fixture)


@pytest.mark.parametrize("name", ["spark-3.5/pipeline_supplier_stats", "spark-3.5/in_and_exists_subqueries"])
def test_a_text_cut_off_anywhere_is_read_without_an_error(name: str) -> None:
    fixture = load(name)
    text = json.dumps(fixture["plan"])
    for length in range(0, len(text), max(1, len(text) // 200)):
        assert check(text[:length], fixture).problems


def damage(plan: list[Any], chance: random.Random) -> None:
    """Change one thing somewhere in a plan."""
    place: Any = plan
    while chance.random() < 0.85:
        inside = [value for value in (place.values() if isinstance(place, dict) else place) if value]
        inside = [value for value in inside if isinstance(value, dict | list)]
        if not inside:
            break
        place = chance.choice(inside)
    keys = list(place) if isinstance(place, dict) else list(range(len(place)))
    if not keys:
        return
    key = chance.choice(keys)
    if chance.random() < 0.3:
        del place[key]
    elif key == "class" and chance.random() < 0.9:
        place[key] = f"org.apache.spark.{chance.choice(('Alias', 'Join', 'Cast', 'Generate', 'If', 'Nobody'))}"
    elif key == "num-children" and chance.random() < 0.9:
        place[key] = chance.randrange(5)
    else:
        place[key] = copy.deepcopy(chance.choice(ODD))


def check(text: str, fixture: dict[str, Any]) -> ColumnLineage:
    found = column_edges(read_plan(text), sources(fixture), sink(fixture))
    json.dumps(column_lineage_facet(found))
    return found
