"""Finding jobs, datasets, columns and tags by any part of their name, best matches first."""

from collections.abc import Collection, Iterable, Sequence

from msgspec import Struct
from sqlalchemy import ARRAY, Connection, Row, Select, Text, bindparam, column, func, select, table, text

from headwater.store.read.lists import rows_for, visible
from headwater.store.tables import DATASET, FIELD, JOB, dataset, field, job, namespace, search, tag

ENOUGH = 1_000  # matches looked at, in each of the two ways to match
POOL = 20_000  # rows taken from the index of parts before their kind is known
SAMPLE = 5_000  # newest names, in which a part that very many names have is found without the index
SCANNED = 20_000  # names read one by one for what is too short for the index of parts
TRIGRAM = 3


class Match(Struct, frozen=True, gc=False):
    """Something found. Of a column, `name` is the dataset's; of a tag only `name` is set."""

    kind: str  # job, dataset, column or tag
    namespace: str
    name: str
    column: str
    updated_at: int
    rank: int  # 0 exact, 1 a beginning, 2 a part


class _Hit(Struct, frozen=True, gc=False):
    kind: int
    owner_id: int
    name: str
    rank: int


KINDS = {"job": JOB, "dataset": DATASET, "column": FIELD}


def find(
    db: Connection,
    query: str,
    kinds: Collection[str],
    *,
    namespace_name: str | None = None,
    before: int | None = None,
    after: int | None = None,
    enough: int = ENOUGH,
) -> list[Match]:
    """What matches, best first: exact, then beginnings, then parts, each by name. '%' stands for anything.

    Past `enough` matches of a sort, which of them are looked at is up to the index.
    """
    folded = fold(query)
    hits = _hits(db, folded, [KINDS[kind] for kind in kinds if kind in KINDS], enough) if folded else []
    matches = list(_described(db, hits, namespace_name, before, after, enough))
    if "tag" in kinds and folded:
        matches += _tags(db, folded)
    matches.sort(key=lambda m: (m.rank, (m.column or m.name).lower(), m.name, m.namespace, m.kind))
    return matches


def fold(query: str) -> str:
    """A query as names are folded for matching."""
    return query.strip().lower()


def _hits(db: Connection, query: str, kinds: list[int], enough: int) -> list[_Hit]:
    if not kinds:
        return []
    found: dict[int, _Hit] = {}
    columns = (search.c.id, search.c.kind, search.c.owner_id, search.c.name)
    base = select(*columns).where(search.c.kind.in_(kinds))
    if "%" not in query:
        beginnings = base.where(search.c.folded >= query, search.c.folded < _after(query))
        for id, kind, owner, name in db.execute(beginnings.order_by(search.c.folded).limit(enough)):
            found[id] = _Hit(kind, owner, name, 0 if name.lower() == query else 1)
        if len(found) >= enough:
            return list(found.values())
    for id, kind, owner, name in _parts(db, query, kinds, enough):
        found.setdefault(id, _Hit(kind, owner, name, 2))
    return list(found.values())


def _after(prefix: str) -> str:
    """The first text after all that begin with this one."""
    return prefix + "\U0010ffff"


def _parts(db: Connection, query: str, kinds: list[int], enough: int) -> Sequence[Row[int, int, int, str]]:
    """Names that have the query anywhere."""
    longest = max(query.split("%"), key=len)
    like = search.c.folded.like(_pattern(query), escape="\\")

    def among(pool: Select[int]) -> Sequence[Row[int, int, int, str]]:
        wanted = select(search.c.id, search.c.kind, search.c.owner_id, search.c.name)
        return db.execute(wanted.where(search.c.id.in_(pool), search.c.kind.in_(kinds), like).limit(enough)).all()

    newest = select(search.c.id).order_by(search.c.id.desc())
    if len(longest) < TRIGRAM:
        return among(newest.limit(SCANNED))
    if db.dialect.name == "sqlite":
        trigram = table("search_trigram", column("rowid"))
        quoted = '"' + longest.replace('"', '""') + '"'
        matching = text("search_trigram MATCH :part").bindparams(part=quoted)
        return among(select(trigram.c.rowid).where(matching).limit(POOL))
    # PostgreSQL reads all that its index has on a part before it gives the first.
    common = among(newest.limit(SAMPLE))
    if len(common) >= enough:
        return common
    trigrams = bindparam("trigrams", sorted(_trigrams(longest)), type_=ARRAY(Text))
    has_all = func.headwater_trigrams(search.c.folded).op("@>")(trigrams)
    return among(select(search.c.id).where(has_all, like).limit(POOL))


def _trigrams(part: str) -> set[str]:
    return {part[i : i + TRIGRAM] for i in range(len(part) - TRIGRAM + 1)}


def _pattern(query: str) -> str:
    escaped = query.replace("\\", "\\\\").replace("_", "\\_")
    return f"%{escaped}%"


def _described(
    db: Connection,
    hits: list[_Hit],
    namespace_name: str | None,
    before: int | None,
    after: int | None,
    enough: int,
) -> Iterable[Match]:
    """Hits with what their job or dataset is; those deleted or outside the bounds are left out."""
    found = [*_of_kind(db, hits, JOB), *_of_kind(db, hits, DATASET), *_columns(db, hits, enough)]
    for match in found:
        if namespace_name is not None and match.namespace != namespace_name:
            continue
        if before is not None and match.updated_at >= before:
            continue
        if after is not None and match.updated_at <= after:
            continue
        yield match


def _of_kind(db: Connection, hits: list[_Hit], kind: int) -> Iterable[Match]:
    ranks = {hit.owner_id: hit.rank for hit in hits if hit.kind == kind}
    for id, (space, name, updated_at) in _owners(db, kind, ranks).items():
        yield Match("job" if kind == JOB else "dataset", space, name, "", updated_at, ranks[id])


def _columns(db: Connection, hits: list[_Hit], enough: int) -> Iterable[Match]:
    """The datasets that have the columns found; the better the match the sooner it is looked up."""
    for rank in range(3):
        names = [hit.name for hit in hits if hit.kind == FIELD and hit.rank == rank]
        if not names or enough <= 0:
            continue
        statement = select(field.c.dataset_id, field.c.name).where(field.c.name.in_(names)).limit(enough)
        pairs = db.execute(statement).all()
        enough -= len(pairs)
        owners = _owners(db, DATASET, {id for id, _ in pairs})
        for id, name in pairs:
            if id in owners:
                yield Match("column", *owners[id][:2], name, owners[id][2], rank)


def _owners(db: Connection, kind: int, ids: Iterable[int]) -> dict[int, tuple[str, str, int]]:
    owner = job if kind == JOB else dataset
    statement = (
        select(owner.c.id, namespace.c.name, owner.c.name, owner.c.updated_at)
        .join(namespace, namespace.c.id == owner.c.namespace_id)
        .where(visible(owner))
    )
    return {id: (space, name, at) for id, space, name, at in rows_for(db, statement, owner.c.id, ids)}


def _tags(db: Connection, query: str) -> Iterable[Match]:
    for name, updated_at in db.execute(select(tag.c.name, tag.c.updated_at)):
        lowered = name.lower()
        if query in lowered:
            rank = 0 if lowered == query else 1 if lowered.startswith(query) else 2
            yield Match("tag", "", name, "", updated_at, rank)
