"""Facets as they were sent: raw JSON, found by owner and joined without being decoded."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, NamedTuple, TypeVar

import msgspec
from sqlalchemy import Connection, Select, select

from headwater.store.packing import unpack
from headwater.store.read.lists import rows_for
from headwater.store.tables import DATASET, INPUT, INPUT_FACET, blob, edge, facet, job

T = TypeVar("T")
Facets = dict[str, bytes]
EMPTY = msgspec.Raw(b"{}")
_encode = msgspec.json.Encoder().encode


class _Found(NamedTuple):
    owner: int
    name: str
    at: int
    hash: bytes
    body: bytes | None


_SELECT = select(facet.c.owner_id, facet.c.name, facet.c.at, facet.c.hash, facet.c.body)
_OF_ONE = select(facet.c.owner_id, facet.c.name, facet.c.hash, facet.c.body).where(facet.c.other_id == 0)


@lru_cache(maxsize=32)
def _of_one(kind: int, names: tuple[str, ...] | None) -> Select[Any]:
    statement = _OF_ONE.where(facet.c.kind == kind)
    return statement if names is None else statement.where(facet.c.name.in_(names))


@lru_cache(maxsize=32)
def _of_dataset(names: tuple[str, ...] | None) -> Select[Any]:
    statement = _SELECT.where(facet.c.kind == DATASET)
    return statement if names is None else statement.where(facet.c.other_id == 0, facet.c.name.in_(names))


@cache
def _of_io(kind: int) -> Select[Any]:
    columns = (facet.c.owner_id, facet.c.other_id, facet.c.name, facet.c.hash, facet.c.body)
    return select(*columns).where(facet.c.kind == kind)


_READERS = (
    select(facet.c.other_id, facet.c.name, facet.c.at, facet.c.hash, facet.c.body)
    .select_from(edge)
    .join(job, job.c.id == edge.c.job_id)
    .join(facet, facet.c.owner_id == job.c.edges_run_id)
    .where(
        edge.c.direction == INPUT,
        edge.c.current,
        facet.c.kind == INPUT_FACET,
        facet.c.other_id == edge.c.dataset_id,
    )
)


def facets_of(
    db: Connection, kind: int, owner_ids: Iterable[int], names: Collection[str] | None = None
) -> dict[int, Facets]:
    """Owner -> facet name -> its JSON, for jobs or runs. Owners without facets are left out."""
    statement = _of_one(kind, None if names is None else tuple(names))
    rows = rows_for(db, statement, facet.c.owner_id, owner_ids)
    bodies = _bodies(db, {digest: body for _, _, digest, body in rows})
    found: dict[int, Facets] = {}
    for owner, name, digest, _ in rows:
        if (body := bodies.get(digest)) is not None:
            if (facets := found.get(owner)) is None:
                facets = found[owner] = {}
            facets[name] = body
    return found


def some_facets_of(db: Connection, kind: int, owner_ids: Iterable[int], names: Collection[str]) -> dict[int, Facets]:
    """As facets_of, but only the facets of these names."""
    return facets_of(db, kind, owner_ids, names)


def dataset_facets(
    db: Connection, roots: Mapping[int, int], names: Collection[str] | None = None, inputs: bool = True
) -> dict[int, Facets]:
    """Node -> facet name -> its JSON; `roots` maps every dataset row to its node.

    With `inputs`, what the current readers said about their input counts too. The newest of a name wins.
    """
    rows = rows_for(db, _of_dataset(None if names is None else tuple(names)), facet.c.owner_id, roots)
    if inputs:
        rows = [*rows_for(db, _READERS, edge.c.dataset_id, roots), *rows]
    return _resolve(db, [_Found(roots[row[0]], *row[1:]) for row in rows])


def io_facets(db: Connection, kind: int, run_ids: Iterable[int]) -> dict[tuple[int, int], Facets]:
    """(run, dataset) -> facet name -> its JSON, of the runs' inputs or outputs."""
    rows = rows_for(db, _of_io(kind), facet.c.owner_id, run_ids)
    bodies = _bodies(db, {digest: body for *_, digest, body in rows})
    found: dict[tuple[int, int], Facets] = {}
    for run_id, dataset_id, name, digest, _ in rows:
        if (body := bodies.get(digest)) is not None:
            found.setdefault((run_id, dataset_id), {})[name] = body
    return found


def raw_facets(facets: Facets | None) -> msgspec.Raw:
    """The JSON object of these facets."""
    if not facets:
        return EMPTY
    return msgspec.Raw(b"{" + b",".join(_encode(name) + b":" + body for name, body in facets.items()) + b"}")


def read_facet(facets: Facets | None, name: str, shape: type[T]) -> T | None:
    """One facet decoded; None if it is absent or not of that shape."""
    return decode_facet(facets.get(name), shape) if facets else None


def decode_facet(body: bytes | None, shape: type[T]) -> T | None:
    """A facet's JSON decoded; None if there is none or it is not of that shape."""
    if body is None:
        return None
    try:
        return msgspec.json.decode(body, type=shape)
    except msgspec.MsgspecError:
        return None


def _resolve(db: Connection, found: list[_Found]) -> dict[int, Facets]:
    newest: dict[tuple[int, str], _Found] = {}
    for one in found:
        key = (one.owner, one.name)
        if (other := newest.get(key)) is None or one.at >= other.at:
            newest[key] = one
    bodies = _bodies(db, {one.hash: one.body for one in newest.values()})
    facets: dict[int, Facets] = {}
    for one in newest.values():
        if (body := bodies.get(one.hash)) is not None:
            facets.setdefault(one.owner, {})[one.name] = body
    return facets


def _bodies(db: Connection, found: Mapping[bytes, bytes | None]) -> dict[bytes, bytes]:
    """The JSON of each hash, from its own row or the shared store, without facets that say they are deleted."""
    bodies = {}
    shared = [digest for digest, body in found.items() if body is None]
    stored = [(digest, body) for digest, body in found.items() if body is not None]
    if shared:
        stored += rows_for(db, select(blob.c.hash, blob.c.body), blob.c.hash, shared)
    for digest, packed in stored:
        body = unpack(packed)
        if b'"_deleted"' not in body or not _is_deleted(body):
            bodies[bytes(digest)] = body
    return bodies


def _is_deleted(body: bytes) -> bool:
    try:
        return msgspec.json.decode(body, type=_Deletable).deleted
    except msgspec.MsgspecError:
        return False


class _Deletable(msgspec.Struct):
    deleted: bool = msgspec.field(name="_deleted", default=False)
