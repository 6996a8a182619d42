"""Every transform by its cases: text files of what a record has in it before and after, and where that comes from.

A file has one case: a sentence; `config:` with the settings of the transforms; `topics:` with one topic before them;
`after:` with what is there after them; and `before:` with what can be told of the record when only the end is known.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.capture.connect.topic_columns import record_of
from headwater.capture.connect.transforms import RULES, before, chain_of, run
from headwater.capture.connect.transforms.flow import Column, Record, Use, to_field, walk
from tests.capture.connect.cases import Case, read, shown, topic

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(FOLDER.glob("*.txt"))


def record(case: Case) -> Record:
    return record_of(*topic(case.parts["topics"][0]))


def written(found: Record | None) -> Iterator[str]:
    """A record as lines: its topic, then each field of key, value and headers with what it comes from."""
    if found is None:
        yield "left out"
        return
    yield f"topic {found.topic}"
    for name, part in (("key", found.key), ("value", found.value)):
        if part.fields or part.type:
            yield from _part(name, part)
    for header in found.headers:
        yield f"header {header.name}{_uses(header)}"
    for use in found.whole:
        yield f"decided by {use.path}"
    for note in found.notes:
        yield f"note: {note}"


def _part(name: str, part: Column) -> Iterator[str]:
    if not part.fields:
        yield f"{name} {part.type}{_uses(part)}"
    for path, column in walk(part.fields, name):
        yield f"{path} {column.type or '?'}{_uses(column)}"


def _uses(column: Column) -> str:
    constant = f" = {column.text}" if column.text is not None else ""
    return constant + "".join(f" <- {_use(use)}" for use in column.uses)


def _use(use: Use) -> str:
    words = [use.path, f"({use.description})" if use.description else "", "masked" if use.masking else ""]
    return " ".join(word for word in (*words, f"possible: {use.doubt}" if use.doubt else "") if word)


def earlier(case: Case) -> list[str]:
    """What can be told of the record before, as it is written in a case."""
    start = record(case)
    end = run(chain_of(case.settings("config")), start)
    assert end is not None
    found = before(chain_of(case.settings("config")), start.topic, end)
    parts = (("key", found.key), ("value", found.value))
    told = [f"{name}: {shown([to_field(each) for each in part.fields]) or part.type or '?'}" for name, part in parts]
    return [*map(str.rstrip, told), *(f"not told: {part.partial}" for _, part in parts if part.partial)]


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_a_record_is_after_its_transforms_as_the_case_says(file: Path) -> None:
    case = read(file)
    assert list(written(run(chain_of(case.settings("config")), record(case)))) == case.parts["after"], case.sentence


@pytest.mark.parametrize("file", [file for file in CASES if "before" in read(file).parts], ids=lambda file: file.stem)
def test_what_was_before_the_transforms_is_told_as_far_as_it_can_be(file: Path) -> None:
    case = read(file)
    assert earlier(case) == case.parts["before"], case.sentence


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_what_is_told_of_before_becomes_the_same_again(file: Path) -> None:
    case = read(file)
    chain, start = chain_of(case.settings("config")), record(case)
    end = run(chain, start)
    again = run(chain, before(chain, start.topic, end)) if end else None
    for side in ("key", "value"):
        if end and again and end.part(side).type and not again.part(side).partial:
            assert names(again.part(side)) == names(end.part(side))


def names(part: Column) -> set[str]:
    return {path for path, _ in walk(part.fields)}


def test_every_transform_has_a_case() -> None:
    settings = [value for file in CASES for value in read(file).settings("config").values()]
    met = {RULES[name] for value in settings if (name := value.partition("$")[0]) in RULES}
    assert [name for name, rule in RULES.items() if rule not in met] == []
