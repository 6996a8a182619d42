"""Marquez's manners: how it reads parameters and bodies, and what it answers when they are wrong."""

from collections.abc import Mapping
from typing import TypeVar
from uuid import UUID

import msgspec

from headwater.openlineage.events import parse_time
from headwater.server.http import Call, HttpError, Param
from headwater.server.marquez.ids import Uuid

T = TypeVar("T")
LARGEST = 2**31 - 1

LIMIT = Param("limit", int, 100, help="most results to return")
OFFSET = Param("offset", int, 0, help="results to skip")
DEPTH = Param("depth", int, 20, help="how many hops to follow")
NODE_ID = Param("nodeId", str, required=True, help="dataset:NS:NAME, job:NS:NAME or datasetField:NS:NAME:COL")


def not_found(what: str, name: object) -> HttpError:
    """404 for a named thing that is not there."""
    return HttpError(404, f"{what} '{name}' not found.")


def invalid(message: str, status: int = 400) -> HttpError:
    """A parameter (400) or a body (422) that breaks a rule."""
    return HttpError(status, {"errors": [message]})


def whole_number(call: Call, name: str, default: int) -> int:
    """A query parameter of zero or more. Text is 404 and a negative number 400, as Marquez has it."""
    given = call.first(name)
    if given is None or given == "":
        return default
    digits = given.removeprefix("-").removeprefix("+")
    if not (digits.isascii() and digits.isdigit() and len(digits) <= 12):
        raise HttpError(404, f"parameter {name!r} is {given!r}; expected a whole number")
    value = int(given)
    if value < 0:
        raise invalid(f"query param {name} must be greater than or equal to 0, but is {value}")
    if value > LARGEST:
        raise HttpError(404, f"parameter {name!r} is {given!r}; expected at most {LARGEST}")
    return value


def page(call: Call, default: int = 100) -> tuple[int, int]:
    """The limit and offset of a list."""
    return whole_number(call, "limit", default), whole_number(call, "offset", 0)


def required(call: Call, name: str) -> str:
    """A query parameter that must be there."""
    given = call.first(name)
    if given is None:
        raise invalid(f"query param {name} must not be null")
    return given


def choice(call: Call, name: str, choices: Mapping[str, T], default: T) -> T:
    """A query parameter that is one of a few words, in any case."""
    given = call.first(name)
    if given is None or given == "":
        return default
    if given.upper() not in choices:
        raise HttpError(400, f"query param {name} must be one of [{', '.join(choices)}], but is {given!r}")
    return choices[given.upper()]


def flag(call: Call, name: str) -> bool:
    """A query parameter that is true only when it says so."""
    return (call.first(name) or "").lower() == "true"


def time_or_none(call: Call, name: str) -> int | None:
    """A query parameter in ISO-8601, in microseconds."""
    given = call.first(name)
    if not given:
        return None
    try:
        # A '+' that was not percent-encoded arrives as a space.
        return parse_time(given.replace(" ", "+") if "T" in given else given)
    except (ValueError, OverflowError):
        raise HttpError(
            400, f"query param {name} is {given!r}; expected ISO-8601 such as 2026-01-31T12:00:00Z"
        ) from None


def path_uuid(call: Call, name: str) -> Uuid:
    """A UUID in the path; any other text is 404."""
    return uuid_or_404(call.path[name])


def uuid_or_404(text: str) -> Uuid:
    """A UUID in its one spelling; any other text is 404."""
    try:
        if len(text) == 36:
            return str(UUID(text))
    except ValueError:
        pass
    raise HttpError(404, f"{text!r} is not a UUID; expected one such as 870492da-ecfb-4be0-91b9-9a89ddd3db90")


def read_body(call: Call, shape: type[T]) -> T:
    """The JSON body; 400 if it is not JSON, 422 if it lacks something or has the wrong type."""
    try:
        return msgspec.json.decode(call.body, type=shape)
    except msgspec.ValidationError as error:
        raise invalid(str(error), 422) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise HttpError(400, f"Unable to process JSON: {error}") from None
