"""What the parameters of a list mean: its filters, its order, and the cursor that goes on from a page."""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Mapping

import msgspec
from msgspec import Struct

from headwater.server.http import Call, HttpError, Param
from headwater.store.read.pages.keyset import Key, Order, Place

LARGEST_NUMBER = 2**63 - 1
STATES = ("NEW", "RUNNING", "COMPLETED", "FAILED", "ABORTED", "LOST")

FILTER = Param("filter", help="only what has this text in its name or namespace")
NAMESPACE = Param("namespace", help="only in this namespace")
LIMIT = Param("limit", int, 100, minimum=1, maximum=1000, help="rows in one answer at most")
TOTAL = Param("total", bool, False, help="say how many rows there are in all, which takes longer than a page")
CURSOR = Param("cursor", help="where the answer before ended, as it said")


class _Cursor(Struct, array_like=True):
    """Where a page ended, and in which order."""

    by: str
    descending: bool
    key: int | str
    id: int


def sort_param(keys: Mapping[str, Key], default: str) -> Param:
    """The parameter that says the order of a list; a minus sign in front puts the greatest first."""
    choices = tuple(choice for name in keys for choice in (name, f"-{name}"))
    return Param("sort", default=default, choices=choices, help="the order; with a minus sign the greatest first")


def states_param(what: str) -> Param:
    """The parameter that says which states are wanted."""
    return Param("state", help=f"only with {what} in one of these states: {', '.join(STATES)}, comma between")


def text_of(call: Call, name: str) -> str | None:
    """A parameter that is a text; blank is as good as absent."""
    given: str | None = call.get(name)
    return given.strip() or None if given is not None else None


def words_of(call: Call, name: str, known: Collection[str]) -> list[str] | None:
    """A parameter that is a list of known words."""
    given = text_of(call, name)
    if given is None:
        return None
    words = [word.strip().upper() for word in given.split(",") if word.strip()]
    if unknown := [word for word in words if word not in known]:
        raise HttpError(400, f"parameter {name!r} has {unknown[0]!r}; expected some of {', '.join(known)}")
    return words


def order_of(call: Call) -> Order:
    """The order that was asked for."""
    given: str = call.get("sort")
    return Order(given.removeprefix("-"), given.startswith("-"))


def place_of(call: Call, keys: Mapping[str, Key], order: Order) -> Place | None:
    """Where to go on, if that was said; 400 for a cursor that is not of this list in this order."""
    given: str | None = call.get("cursor")
    if given is None:
        return None
    try:
        cursor = msgspec.json.decode(urlsafe_b64decode(given), type=_Cursor)
    except (ValueError, msgspec.MsgspecError):
        cursor = None
    if (
        cursor is None
        or (cursor.by, cursor.descending) != (order.by, order.descending)
        or not isinstance(cursor.key, keys[order.by].type)
        or any(abs(number) > LARGEST_NUMBER for number in (cursor.key, cursor.id) if isinstance(number, int))
        or (isinstance(cursor.key, str) and "\0" in cursor.key)
    ):
        raise HttpError(400, f"parameter 'cursor' is {given!r}; expected the cursor of the answer before, same sort")
    return Place(cursor.key, cursor.id)


def cursor_for(end: Place | None, order: Order) -> str | None:
    """The cursor that goes on from a place."""
    if end is None:
        return None
    return urlsafe_b64encode(msgspec.json.encode(_Cursor(order.by, order.descending, end.key, end.id))).decode()
