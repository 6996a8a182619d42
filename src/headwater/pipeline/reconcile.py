"""Does every order arrive everywhere? What each place holds, compared with what the shop holds."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain
from typing import Any

# The rest are told by number: who sees this many knows what kind of rows is missing.
SHOWN = 20


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What one place holds: rows, different keys, and the sum of prices; None where that cannot be told."""

    what: str
    place: str
    rows: int
    keys: int | None = None
    price: Decimal | None = None
    # What this place has less, more or otherwise than the shop, in words; the first few of them.
    differences: tuple[str, ...] = ()
    # Rows that came twice do no harm here: whoever reads the place tells them by their key.
    repeats: bool = False


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether a place agrees with the shop, and in which words it does not."""

    tally: Tally
    wrong: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        return not self.wrong


@dataclass(frozen=True, kw_only=True)
class Reconciliation:
    """Every place's verdict."""

    verdicts: Sequence[Verdict]

    @property
    def agrees(self) -> bool:
        """Whether the whole chain agrees, end to end."""
        return all(verdict.agrees for verdict in self.verdicts)

    def as_json(self) -> dict[str, Any]:
        """The same, as plain data."""
        return {
            "agrees": self.agrees,
            "places": [
                {
                    "what": verdict.tally.what,
                    "place": verdict.tally.place,
                    "rows": verdict.tally.rows,
                    "keys": verdict.tally.keys,
                    "price": None if verdict.tally.price is None else str(verdict.tally.price),
                    "agrees": verdict.agrees,
                    "wrong": list(verdict.wrong),
                }
                for verdict in self.verdicts
            ],
        }


def reconcile(truths: Iterable[Tally], tallies: Sequence[Tally]) -> Reconciliation:
    """Compare each tally with the truth about the same thing, which comes before those that it is compared with."""
    verdicts = []
    for truth in truths:
        verdicts.append(Verdict(tally=truth))
        verdicts += [
            Verdict(tally=tally, wrong=tuple(faults(truth, tally))) for tally in tallies if tally.what == truth.what
        ]
    return Reconciliation(verdicts=verdicts)


def faults(truth: Tally, found: Tally) -> list[str]:
    """In which ways a tally is not the truth."""
    wrong = []
    if found.rows < truth.rows or (found.rows > truth.rows and not found.repeats):
        wrong.append(f"{found.rows} rows; expected {truth.rows}")
    if found.keys is not None and found.keys != truth.keys:
        wrong.append(f"{found.keys} different keys; expected {truth.keys}")
    if found.price is not None and found.price != truth.price:
        wrong.append(f"prices sum to {found.price}; expected {truth.price}")
    return [*wrong, *found.differences]


def compare_keys(expected: Iterable[str], found: Mapping[str, int]) -> tuple[str, ...]:
    """Keys that are missing, unknown or repeated, in words; found says how often each key is there."""
    wanted = set(expected)
    return in_words(
        chain(
            (f"{key} is missing" for key in sorted(wanted - found.keys())),
            (f"{key} is not in the shop" for key in sorted(found.keys() - wanted)),
            (f"{key} is there {times} times" for key, times in sorted(found.items()) if times > 1),
        )
    )


def in_words(differences: Iterable[str]) -> tuple[str, ...]:
    """The first differences, and how many more there are."""
    every = list(differences)
    more = len(every) - SHOWN
    return (*every[:SHOWN], f"and {more} more") if more > 0 else tuple(every)
