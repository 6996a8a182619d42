"""Walking the graph: precedence through a job, the past, pages; on small cases, real events and generated ones."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import ColumnElement, Connection, Table, select

from headwater.lineage.neighbourhood import Graph, Question, neighbourhood
from headwater.openlineage.events import Event, decode_event
from headwater.openlineage.node_ids import canonical
from headwater.store import tables as t
from headwater.store.database import Database
from headwater.store.read.columns import column_graph
from headwater.store.read.graph import table_graph
from headwater.store.read.names import Found, resolve
from headwater.store.read.past import Past
from tests.events import columns, dataset, dataset_event, facet, run_event, schema, source
from tests.store.folding import empty, fold, fold_batches
from tests.store.worlds import History, histories

FIXTURES = sorted((Path(__file__).parent.parent / "fixtures" / "events").glob("*.jsonl"))
FAR_FUTURE = 2**52


def around(database: Database, node: str, direction: str = "up", depth: int = 9, column: str | None = None) -> Graph:
    with database.read() as db:
        question = Question(direction, depth, column=column, columns=True)  # type: ignore[arg-type]
        return neighbourhood(db, resolve(db, node), question)


def names(graph: Graph) -> set[str]:
    return {node.name for node in graph.nodes}


def says(*entries: dict[str, object]) -> dict[str, object]:
    """A job's explicit lineage facet."""
    return {"lineage": facet(entries=list(entries))}


def entry(name: str, *inputs: str) -> dict[str, object]:
    return {"namespace": "db", "name": name, "type": "DATASET", "inputs": [source(item) for item in inputs]}


def test_without_claims_every_input_feeds_every_output(database: Database) -> None:
    fold(database, run_event("COMPLETE", inputs=["a", "b"], outputs=["c", "d"]))
    assert names(around(database, "dataset:db:c")) == {"c", "load", "a", "b"}
    assert names(around(database, "dataset:db:a", "down")) == {"a", "load", "c", "d"}


def test_an_explicit_claim_goes_before_a_column_claim(database: Database) -> None:
    made_of_b = columns({"x": ["b.x"]})
    facets = says(entry("c", "a"))
    outputs = [dataset("c", columnLineage=made_of_b), dataset("d")]
    fold(database, run_event("COMPLETE", inputs=["a", "b"], outputs=outputs, job_facets=facets))
    assert names(around(database, "dataset:db:c")) == {"c", "load", "a"}
    assert names(around(database, "dataset:db:b", "down")) == {"b", "load", "d"}
    how = {edge.source: edge.evidence.how for edge in around(database, "dataset:db:c").edges if edge.kind == "read"}
    assert how == {"dataset:db:a": "explicit"}


def test_an_explicit_claim_of_nothing_ends_the_lineage(database: Database) -> None:
    fold(database, run_event("COMPLETE", inputs=["a"], outputs=["c"], job_facets=says(entry("c"))))
    assert names(around(database, "dataset:db:c")) == {"c", "load"}


def test_a_dataset_that_speaks_for_itself_is_linked_without_a_job(database: Database) -> None:
    fold(database, dataset_event(dataset("stats", lineage=facet(inputs=[source("orders", "day")]))))
    graph = around(database, "dataset:db:stats")
    assert [(e.source, e.target, e.kind) for e in graph.edges] == [("dataset:db:orders", "dataset:db:stats", "link")]
    assert names(around(database, "dataset:db:orders", "down")) == {"orders", "stats"}


def test_a_column_that_filters_reaches_every_column_of_the_output(database: Database) -> None:
    fold(
        database,
        run_event(
            "COMPLETE",
            1,
            "one",
            inputs=["a"],
            outputs=[dataset("b", schema=schema(x="int", y="int"), columnLineage=columns({"x": ["a.x"]}, ["a.day"]))],
        ),
        run_event(
            "COMPLETE",
            2,
            "two",
            inputs=["b"],
            outputs=[dataset("c", schema=schema(z="int"), columnLineage=columns({"z": ["b.y"]}))],
        ),
    )
    with database.read() as db:
        a, c = resolve(db, "dataset:db:a"), resolve(db, "dataset:db:c")
        down = column_graph(db, [(a.root_id, "day")], up=False, down=True)
        assert (c.root_id, "z") in down.fields
        up = column_graph(db, [(c.root_id, "z")])
        assert (a.root_id, "day") in up.fields
        assert (a.root_id, "x") not in up.fields


def test_a_cycle_ends(database: Database) -> None:
    fold(database, run_event("COMPLETE", 1, "one", inputs=["a"], outputs=["b"]))
    fold(database, run_event("COMPLETE", 2, "two", inputs=["b"], outputs=["a"]))
    assert names(around(database, "dataset:db:a", "both")) == {"a", "b", "one", "two"}


def test_both_ways_at_every_step_counts_job_hops(database: Database) -> None:
    for i in range(4):
        fold(database, run_event("COMPLETE", i + 1, f"job{i}", inputs=[f"d{i}"], outputs=[f"d{i + 1}", f"side{i}"]))
    with database.read() as db:
        start = resolve(db, "job:etl:job1")
        nearest = table_graph(db, [start.id], depth=0)
        assert (len(nearest.jobs), len(nearest.datasets), len(nearest.edges)) == (1, 3, 3)
        assert sorted(table_graph(db, [start.id], depth=1).jobs.values()) == [0, 1, 1]
        everything = table_graph(db, datasets=[resolve(db, "dataset:db:d2").root_id])
        assert (len(everything.jobs), len(everything.datasets)) == (4, 9)


# -- now is the end of the past --------------------------------------------------------------------


def everything(db: Connection) -> list[Found]:
    jobs = db.execute(select(t.namespace.c.name, t.job.c.name).join_from(t.job, t.namespace, _of(t.job))).all()
    sets = db.execute(select(t.namespace.c.name, t.dataset.c.name).join_from(t.dataset, t.namespace, _of(t.dataset)))
    ids = [canonical("job", *row) for row in jobs] + [canonical("dataset", *row) for row in sets]
    return [resolve(db, id) for id in ids]


def _of(table: Table) -> ColumnElement[bool]:
    return t.namespace.c.id == table.c.namespace_id


def comparable(graph: Graph) -> object:
    """A graph without the time it was asked for, and without order among equals."""
    return (
        [(n.id, n.distance, n.counts, n.state, n.run, n.dropped, n.columns and bytes(n.columns)) for n in graph.nodes],
        {(e.source, e.target): (e.kind, e.evidence) for e in graph.edges},
        {msgspec.json.encode(flow) for flow in graph.columnEdges},
        graph.truncated,
    )


def assert_now_is_the_end_of_the_past(database: Database) -> None:
    with database.read() as db:
        for start in everything(db):
            now = neighbourhood(db, start, Question(depth=3, columns=True))
            end = neighbourhood(db, start, Question(depth=3, columns=True, at=FAR_FUTURE))
            assert comparable(now) == comparable(end)


def recorded(file: Path) -> list[Event]:
    return [decode_event(line) for line in file.read_bytes().splitlines()]


@pytest.mark.parametrize("file", FIXTURES, ids=lambda file: file.stem)
def test_now_is_the_end_of_the_past_of_recorded_events(database: Database, file: Path) -> None:
    fold_batches(database, [recorded(file)])
    assert_now_is_the_end_of_the_past(database)


@settings(
    deadline=None,
    max_examples=30,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(histories())
def test_now_is_the_end_of_the_past_of_any_events(sqlite: Database, history: History) -> None:
    empty(sqlite)
    fold_batches(sqlite, [history.world])
    assert_now_is_the_end_of_the_past(sqlite)


@pytest.mark.parametrize("file", FIXTURES, ids=lambda file: file.stem)
def test_pages_put_together_are_the_whole(sqlite: Database, file: Path) -> None:
    fold_batches(sqlite, [recorded(file)])
    with sqlite.read() as db:
        for start in everything(db)[:40]:
            whole = neighbourhood(db, start, Question(depth=9, limit=10_000, columns=True))
            nodes, edges, flows, skip = [], set(), set(), 0
            while True:
                page = neighbourhood(db, start, Question(depth=9, limit=3, columns=True, skip=skip))
                nodes += [node.id for node in page.nodes]
                edges |= {(e.source, e.target) for e in page.edges}
                flows |= {msgspec.json.encode(flow) for flow in page.columnEdges}
                if page.cursor is None:
                    break
                skip = int(page.cursor)
            assert nodes == [node.id for node in whole.nodes]
            assert edges == {(e.source, e.target) for e in whole.edges}
            assert flows == {msgspec.json.encode(flow) for flow in whole.columnEdges}


def test_a_job_that_named_nothing_yet_had_no_edges_then(database: Database) -> None:
    fold(database, run_event("START", at=0), run_event("COMPLETE", inputs=["a"], outputs=["b"], at=10))
    with database.read() as db:
        job = resolve(db, "job:etl:load").id
        first = db.execute(select(t.run.c.started_at)).scalar_one()
        assert Past(db, first).datasets_of([job]) == []
        assert len(Past(db, first + 10_000_000).datasets_of([job])) == 2
