"""Facets as they were sent: raw JSON, found by owner and joined without being decoded."""

from collections.abc import Collection, Iterable, Mapping
from functools import cache, lru_cache
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, Select, select

from headwater.store.packing import unpack
from headwater.store.read.lists import rows_for
from headwater.store.tables import DATASET, INPUT, INPUT_FACET, blob, edge, facet, job

T = TypeVar("T")
Facets = dict[str, bytes]
EMPTY = msgspec.Raw(b"{}")
SHORT, MOST_KEPT = 4096, 4096
_encode = msgspec.json.Encoder().encode
# Short bodies by hash, which are the same in every database: a graph is asked for again and again, and most of what
# is said of its datasets stays as it was.
_kept: dict[bytes, bytes] = {}


_SELECT = select(facet.c.owner_id, facet.c.name, facet.c.at, facet.c.hash, facet.c.body)
_OF_ONE = select(facet.c.owner_id, facet.c.name, facet.c.hash, facet.c.body).where(facet.c.other_id == 0)


@lru_cache(maxsize=32)
def _of_one(kind: int, names: tuple[str, ...] | None) -> Select[Any]:
    statement = _OF_ONE.where(facet.c.kind == kind)
    return statement if names is None else statement.where(facet.c.name.in_(names))


@lru_cache(maxsize=32)
def _of_dataset(names: tuple[str, ...] | None) -> Select[Any]:
    statement = _SELECT.where(facet.c.kind == DATASET)
    if names is None:
        return statement
    # An expression, lest SQLite look up every name of every owner in the index: an owner has few facets.
    return statement.where(facet.c.other_id == 0, (facet.c.name + "").in_(names))


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
    newest: dict[tuple[int, str], tuple[int, bytes, bytes | None]] = {}
    for id, name, at, digest, body in rows:
        key = (roots[id], name)
        if (other := newest.get(key)) is None or at >= other[0]:
            newest[key] = (at, digest, body)
    bodies = _bodies(db, {digest: body for _, digest, body in newest.values()})
    facets: dict[int, Facets] = {}
    for (root, name), (_, digest, _) in newest.items():
        if (said := bodies.get(digest)) is not None:
            facets.setdefault(root, {})[name] = said
    return facets


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


def _bodies(db: Connection, found: Mapping[bytes, bytes | None]) -> dict[bytes, bytes]:
    """The JSON of each hash, from its own row or the shared store, without facets that say they are deleted."""
    bodies = {digest: body for digest in found if (body := _kept.get(digest)) is not None}
    stored = [(digest, body) for digest, body in found.items() if digest not in bodies]
    shared = [digest for digest, body in stored if body is None]
    for digest, packed in (*stored, *rows_for(db, select(blob.c.hash, blob.c.body), blob.c.hash, shared)):
        if packed is None:
            continue
        body = unpack(packed)
        if b'"_deleted"' not in body or not _is_deleted(body):
            bodies[digest] = body
            if len(body) <= SHORT:
                _keep(digest, body)
    return bodies


def _keep(digest: bytes, body: bytes) -> None:
    if len(_kept) >= MOST_KEPT:
        _kept.clear()
    _kept[digest] = body


def _is_deleted(body: bytes) -> bool:
    try:
        return msgspec.json.decode(body, type=_Deletable).deleted
    except msgspec.MsgspecError:
        return False


class _Deletable(msgspec.Struct):
    deleted: bool = msgspec.field(name="_deleted", default=False)
