"""Walking the table graph from one node: everything upstream, downstream or both, nearest first.

Through a job, an explicit claim decides which inputs feed an output, else a column claim does, else all do.
"""

from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import islice
from typing import Literal, NamedTuple

from msgspec import Struct

from headwater.store.read.columns import column_graph
from headwater.store.read.graph import Claim, ColumnEdge, View
from headwater.store.tables import EXPLICIT, INPUT, OUTPUT


class Ref(NamedTuple):
    """A node of the table graph: kind 'dataset' with its root id, or 'job'."""

    kind: Literal["job", "dataset"]
    id: int


class How(StrEnum):
    """What says that an edge is there, the strongest that does."""

    EXPLICIT = "explicit"
    COLUMNS = "columns"
    OBSERVED = "observed"
    DECLARED = "declared"


class Walk(Struct):
    """Nodes in the order they were reached, with their distance, and the edges among them.

    An edge's value says that a claim, not only a run's inputs and outputs, is behind it.
    """

    nodes: dict[Ref, int]
    edges: dict[tuple[Ref, Ref], How]
    truncated: bool = False


def job_ref(id: int) -> Ref:
    return Ref("job", id)


def dataset_ref(id: int) -> Ref:
    return Ref("dataset", id)


def walk(view: View, start: Ref, direction: str, depth: int, limit: int) -> Walk:
    """The graph around `start`. `direction` is up, down or both; each step of depth crosses one job.

    At most `limit` nodes, the nearest, in an order that does not change while the graph does not.
    """
    result = Walk({start: 0}, {})
    sides = [_Side(view, result, limit, step, start) for step in (UP, DOWN) if direction in (step, "both")]
    for distance in range(1, depth + 1):
        for side in sides:
            side.take_step(distance)
    nodes = result.nodes
    result.edges = {edge: how for edge, how in result.edges.items() if edge[0] in nodes and edge[1] in nodes}
    return result


def walk_column(
    view: View, dataset: int, column: str, direction: str, depth: int, limit: int
) -> tuple[Walk, list[ColumnEdge]]:
    """The jobs and datasets that the lineage of one column goes through, and the flows between columns."""
    graph = column_graph(view, [(dataset, column)], depth, direction != DOWN, direction != UP)
    nearest = {dataset_ref(dataset): 0}
    for flow in graph.edges:
        for ref, field in ((dataset_ref(flow.source), flow[:2]), (dataset_ref(flow.target), flow[2:4])):
            nearest[ref] = min(nearest.get(ref, graph.fields[field]), graph.fields[field])
    edges: dict[tuple[Ref, Ref], How] = {}
    for flow in graph.edges:
        source, target = dataset_ref(flow.source), dataset_ref(flow.target)
        if flow.job == 0:
            edges[source, target] = How.COLUMNS
            continue
        job = job_ref(flow.job)
        distance = max(nearest[source], nearest[target])
        nearest[job] = min(nearest.get(job, distance), distance)
        edges[source, job] = edges[job, target] = How.COLUMNS
    order = sorted(nearest, key=lambda ref: (nearest[ref], ref.kind == "dataset", ref.id))
    kept = {ref: nearest[ref] for ref in order[:limit]}
    edges = {e: how for e, how in edges.items() if e[0] in kept and e[1] in kept}
    return Walk(kept, edges, len(order) > limit), graph.edges


def walk_jobs(view: View, jobs: Sequence[int], limit: int) -> Walk:
    """These jobs, each with the datasets it uses, while there is room; a dataset comes with its first job."""
    used: dict[int, list[tuple[int, int]]] = {}
    for job, direction, dataset in view.datasets_of(jobs):
        used.setdefault(job, []).append((direction, dataset))
    order: dict[Ref, int] = {}
    edges: dict[tuple[Ref, Ref], How] = {}
    for job in jobs:
        order[job_ref(job)] = 0
        for direction, dataset in sorted(used.get(job, ())):
            ends = (dataset_ref(dataset), job_ref(job))
            order.setdefault(ends[0], 0)
            edges[ends if direction == INPUT else ends[::-1]] = How.OBSERVED
        if len(order) > limit:
            break
    nodes = dict(islice(order.items(), limit))
    for source, target in view.links({ref.id for ref in nodes if ref.kind == "job"}):
        edges[job_ref(source), job_ref(target)] = How.EXPLICIT
    edges = {edge: how for edge, how in edges.items() if edge[0] in nodes and edge[1] in nodes}
    return Walk(nodes, edges, len(order) > limit)


UP, DOWN = "up", "down"


class _Side:
    """One direction of a walk: what was reached last, and what has been reached at all."""

    def __init__(self, view: View, result: Walk, limit: int, step: str, start: Ref) -> None:
        self._view = view
        self._result = result
        self._limit = limit
        self._step = step
        self._datasets = {start.id} if start.kind == "dataset" else set()
        self._jobs = {start.id} if start.kind == "job" else set()  # to be crossed whole, whatever led here
        self._seen = {start}

    def take_step(self, distance: int) -> None:
        """From the datasets at hand through their jobs to the next, and from the jobs at hand to theirs."""
        if not self._datasets and not self._jobs:
            return
        reached = self._up(distance) if self._step is UP else self._down(distance)
        kept = self._add(reached, distance)
        new = kept - self._seen
        self._seen |= kept
        self._datasets = {ref.id for ref in new if ref.kind == "dataset"}
        self._jobs = {ref.id for ref in new if ref.kind == "job"}

    def _up(self, distance: int) -> set[Ref]:
        view = self._view
        writers = [(dataset, job) for dataset, _, job in view.jobs_of(self._datasets, OUTPUT)]
        passed = self._pass({job for _, job in writers}, distance)
        claims = {(c.job, c.dataset): c for c in _strongest(view.claims_on(self._datasets))}
        unclaimed = set(self._jobs)
        for dataset, job in writers:
            if job in passed:
                self._connect(job_ref(job), dataset_ref(dataset))
                if (job, dataset) not in claims:
                    unclaimed.add(job)
        used = [c for c in claims.values() if c.job == 0 or c.job in passed]
        used += _strongest(view.claims_by(self._jobs))
        sources = view.sources({c.mapping for c in used})
        reached = self._linked(passed)
        for claim in used:
            user = job_ref(claim.job) if claim.job else dataset_ref(claim.dataset)
            for source in map(dataset_ref, sources.get(claim.mapping, ())):
                self._connect(source, user, _how(claim))
                reached.add(source)
        for job, direction, dataset in view.datasets_of(unclaimed):
            if direction == INPUT:
                self._connect(dataset_ref(dataset), job_ref(job))
                reached.add(dataset_ref(dataset))
        return reached

    def _down(self, distance: int) -> set[Ref]:
        view = self._view
        readers = [(dataset, job) for dataset, _, job in view.jobs_of(self._datasets, INPUT)]
        using = view.claims_from(self._datasets)
        passed = self._pass({job for _, job in readers} | {c.job for c in using if c.job}, distance)
        readers = [(dataset, job) for dataset, job in readers if job in passed]
        for dataset, job in readers:
            self._connect(dataset_ref(dataset), job_ref(job))
        claims = {(c.job, c.dataset): c for c in _strongest([*view.claims_by(passed), *using])}
        used = [c for c in claims.values() if c.job == 0 or c.job in passed]
        sources = view.sources({c.mapping for c in used})
        reached = self._linked(passed)
        for claim in used:
            target = dataset_ref(claim.dataset)
            for source in map(dataset_ref, self._datasets & sources.get(claim.mapping, set())):
                reached.add(target)
                if claim.job == 0:
                    self._connect(source, target, _how(claim))
                else:
                    self._connect(source, job_ref(claim.job), _how(claim))
                    self._connect(job_ref(claim.job), target)
        for job, direction, dataset in view.datasets_of({job for _, job in readers} | self._jobs):
            if direction == OUTPUT and (job in self._jobs or (job, dataset) not in claims):
                self._connect(job_ref(job), dataset_ref(dataset))
                reached.add(dataset_ref(dataset))
        return reached

    def _linked(self, passed: set[int]) -> set[Ref]:
        """Jobs that an explicit link joins to those just passed; they are crossed whole at the next step."""
        reached = set()
        for source, target in self._view.links(passed | self._jobs):
            near, far = (target, source) if self._step is UP else (source, target)
            if near in passed or near in self._jobs:
                self._connect(job_ref(source), job_ref(target), How.EXPLICIT)
                reached.add(job_ref(far))
        return reached

    def _pass(self, jobs: set[int], distance: int) -> set[int]:
        """Put jobs into the result while there is room; returns those that are in it."""
        nodes = self._result.nodes
        room = self._limit - len(nodes)
        known = {job for job in jobs if ("job", job) in nodes}
        new = sorted(jobs - known)
        self._result.truncated |= len(new) > room
        nodes.update((job_ref(job), distance) for job in new[:room])
        return known.union(new[:room])

    def _connect(self, source: Ref, target: Ref, how: How = How.OBSERVED) -> None:
        known = self._result.edges.get((source, target))
        if known is None or known is How.OBSERVED or how is How.EXPLICIT:
            self._result.edges[source, target] = how

    def _add(self, refs: Iterable[Ref], distance: int) -> set[Ref]:
        """Put nodes into the result while there is room; returns those that are in it."""
        nodes = self._result.nodes
        kept = set()
        for ref in sorted(refs):
            if ref not in nodes:
                if len(nodes) >= self._limit:
                    self._result.truncated = True
                    continue
                nodes[ref] = distance
            kept.add(ref)
        return kept


def _how(claim: Claim) -> How:
    return How.EXPLICIT if claim.kind == EXPLICIT else How.COLUMNS


def _strongest(claims: Iterable[Claim]) -> list[Claim]:
    """One claim of each job on each dataset: the explicit one where there is one."""
    best: dict[tuple[int, int], Claim] = {}
    for claim in claims:
        known = best.get((claim.job, claim.dataset))
        if known is None or known.kind < claim.kind:
            best[claim.job, claim.dataset] = claim
    return list(best.values())
