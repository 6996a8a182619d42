"""Schemas by their cases: text files of a schema, of those that it refers to, and of the fields that it has.

The first word of a file's name is the language. A case has a sentence, `schema:`, for each other schema
`reference NAME:`, and either `fields:` with one field in a line or `problem:` with what is wrong.
"""

from pathlib import Path
from typing import get_args

import pytest

from headwater.capture.connect.schemas import SchemaKind, parse_schema
from headwater.capture.connect.schemas.record import BadSchema, Field
from tests.capture.connect.cases import Case, read

FOLDER = Path(__file__).parent / "cases"
CASES = sorted(FOLDER.glob("*.txt"))


def answer(file: Path) -> list[str]:
    """The fields of a case's schema, as they are written in one; what is wrong with it where that is asked for."""
    case = read(file)
    kind: SchemaKind = next(each for each in get_args(SchemaKind) if file.stem.startswith(each.lower()))
    if "problem" in case.parts:
        with pytest.raises(BadSchema) as caught:
            parse_schema(kind, text(case, "schema"), references(case))
        return [str(caught.value)]
    schema = parse_schema(kind, text(case, "schema"), references(case))
    return [line for field in schema.fields for line in lines(field, 0)]


def text(case: Case, part: str) -> str:
    return "\n".join(case.parts[part])


def references(case: Case) -> dict[str, str]:
    return {part.removeprefix("reference "): text(case, part) for part in case.parts if part.startswith("reference ")}


def lines(field: Field, depth: int) -> list[str]:
    """A field and, each in a line below, what is in it."""
    described = f" ({field.description})" if field.description else ""
    inner = [line for each in field.fields for line in lines(each, depth + 1)]
    return [f"{'> ' * depth}{field.name or '-'} {field.type}{described}".rstrip(), *inner]


@pytest.mark.parametrize("file", CASES, ids=lambda file: file.stem)
def test_a_schema_has_the_fields_that_its_case_says(file: Path) -> None:
    case = read(file)
    assert answer(file) == (case.parts.get("fields") or case.parts.get("problem")), case.sentence
