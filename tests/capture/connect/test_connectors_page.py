"""The page on connectors lists what is known of them, and nothing else."""

import re
from pathlib import Path

from headwater.capture.connect.families import FAMILIES
from headwater.capture.connect.schemas.converters import CLASSES
from headwater.capture.connect.schemas.subjects import STRATEGIES
from headwater.capture.connect.transforms import RULES
from headwater.capture.connect.transforms.predicates import RULES as PREDICATES

PAGE = (Path(__file__).parents[3] / "docs" / "connectors.md").read_text("utf-8")


def rows(header: str) -> list[list[str]]:
    """The cells of the table with this first word in its header."""
    table = PAGE.split(f"| {header} |", 1)[1].split("\n\n", 1)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def words(cell: str) -> list[str]:
    return re.findall(r"`([^`]+)`", cell)


def test_the_page_lists_every_class_by_its_family() -> None:
    told = {name: row[0] for row in rows("family") for name in words(row[1])}
    assert told == {name: family.title for name, family in FAMILIES.items()}


def test_the_page_lists_every_transform() -> None:
    told = {f"{words(row[0])[0]}.{name}" for row in rows("package") for name in words(row[1])}
    assert told == set(RULES)


def test_the_page_lists_every_converter_and_strategy() -> None:
    assert {name for row in rows("converter") for name in words(row[0])} == set(CLASSES)
    assert all(f"`{name}`" in PAGE for name in {*STRATEGIES, "SimpleTopicIdStrategy"} - {"QualifiedRecordIdStrategy"})
    assert all(f"`{name.rpartition('.')[2]}`" in PAGE for name in PREDICATES)
