"""The standard facets: each is read, and what breaks its schema is told with the place."""

from __future__ import annotations

import json
from typing import Any

import pytest

from headwater.openlineage import facets as standard
from headwater.openlineage.facets import STANDARD, problem, read
from tests.events import columns, facet, input_field, lifecycle, parent, schema, source, symlinks, version

JOB_REF, RUN_REF = {"namespace": "etl", "name": "load"}, {"runId": "00000000-0000-0000-0000-000000000001"}
OWNERS = facet(owners=[{"name": "team:data", "type": "MAINTAINER"}, {"name": "someone"}])
TAGS = facet(tags=[{"key": "pii", "value": "true", "source": "CONFIG"}])
METRICS = facet(
    rowCount=10,
    bytes=2**40,
    fileCount=3,
    lastUpdated="2026-01-31T12:00:00Z",
    columnMetrics={
        "price": {
            "nullCount": 0,
            "distinctCount": 9,
            "sum": 1.5,
            "count": 10,
            "min": 1,
            "max": 2.5,
            "quantiles": {"0.5": 1.25},
        }
    },
)
ASSERTIONS = facet(assertions=[{"assertion": "not_null", "success": True, "column": "id"}])
STATISTICS = facet(rowCount=10, size=2**40, fileCount=1)

# A whole example of every standard facet, by what it belongs to.
EXAMPLES: dict[str, dict[str, Any]] = {
    "job": {
        "jobType": facet(processingType="STREAMING", integration="FLINK", jobType="JOB", emissionPattern={"x": 1}),
        "ownership": OWNERS,
        "documentation": facet(description="loads *orders*", contentType="text/markdown"),
        "sql": facet(query="SELECT 'é' -- 🚀", dialect="spark"),
        "sourceCode": facet(language="python", sourceCode="print('hello')\n"),
        "sourceCodeLocation": facet(
            type="git",
            url="https://example.com/repo/blob/main/load.py",
            repoUrl="https://example.com/repo",
            path="load.py",
            version="abc",
            tag="v1",
            branch="main",
        ),
        "tags": TAGS,
        "lineage": facet(
            entries=[{"namespace": "db", "name": "stats", "type": "DATASET", "inputs": [source("orders", "price")]}]
        ),
    },
    "dataset": {
        "schema": schema(id="int", price="decimal(10,2)"),
        "columnLineage": columns(
            {"total": [input_field("orders.price", {"type": "DIRECT", "subtype": "AGGREGATION", "masking": False})]},
            dataset_wide=[input_field("orders.day", {"type": "INDIRECT", "subtype": "FILTER"})],
        ),
        "symlinks": symlinks("stats_view"),
        "lifecycleStateChange": lifecycle("RENAME", "stats_old"),
        "version": version("3821550127947089009"),
        "dataSource": facet(name="warehouse", uri="postgresql://warehouse:5432"),
        "storage": facet(storageLayer="iceberg", fileFormat="parquet"),
        "catalog": facet(
            framework="iceberg",
            type="rest",
            name="lake",
            metadataUri="http://catalog",
            warehouseUri="s3://lake",
            source="spark",
            catalogProperties={"a": "b"},
        ),
        "datasetType": facet(datasetType="VIEW", subType="MATERIALIZED"),
        "hierarchy": facet(hierarchy=[{"type": "DATABASE", "name": "db"}, {"type": "TABLE", "name": "stats"}]),
        "ownership": OWNERS,
        "documentation": facet(description="totals"),
        "tags": facet(tags=[{"key": "pii", "value": "true", "field": "name"}]),
        "lineage": facet(inputs=[source("orders")], fields={"total": {"inputs": [source("orders", "price")]}}),
        "dataQualityMetrics": METRICS,
        "dataQualityAssertions": ASSERTIONS,
    },
    "run": {
        "parent": parent(2, "dag.task", root=(3, "dag")),
        "nominalTime": facet(nominalStartTime="2026-01-31T12:00:00Z", nominalEndTime="2026-01-31T13:00:00Z"),
        "errorMessage": facet(message="boom", programmingLanguage="JAVA", stackTrace="at x\n\tat y"),
        "externalQuery": facet(externalQueryId="q-1", source="bigquery"),
        "extractionError": facet(
            totalTasks=2,
            failedTasks=1,
            errors=[{"errorMessage": "cannot parse", "stackTrace": "at x", "task": "SELECT", "taskNumber": 0}],
        ),
        "processing_engine": facet(version="3.5.7", name="spark", openlineageAdapterVersion="1.40.0"),
        "environmentVariables": facet(environmentVariables=[{"name": "HOME", "value": "/root"}]),
        "headwater_lease": facet(seconds=30),
        "headwater_lost": facet(lastSeen="2026-01-31T12:00:00Z", reason="nothing was heard of it for 30 s"),
        "executionParameters": facet(parameters=[{"key": "day", "name": "Day", "value": "2026-01-31"}]),
        "jobDependencies": facet(
            upstream=[{"job": JOB_REF, "run": RUN_REF, "dependency_type": "EXPLICIT"}], downstream=[{"job": JOB_REF}]
        ),
        "tags": TAGS,
        "test": facet(tests=[{"name": "unique id", "status": "pass", "severity": "error"}]),
    },
    "input": {
        "dataQualityMetrics": METRICS,
        "dataQualityAssertions": ASSERTIONS,
        "inputStatistics": STATISTICS,
    },
    "output": {"outputStatistics": STATISTICS},
}
EVERY = [(owner, name, body) for owner, named in EXAMPLES.items() for name, body in named.items()]
NAMES = [f"{owner} {name}" for owner, name, _ in EVERY]


def encoded(body: Any) -> bytes:
    return json.dumps(body).encode()


def test_there_is_an_example_of_every_standard_facet() -> None:
    assert {owner: set(named) for owner, named in EXAMPLES.items()} == {
        owner: set(named) for owner, named in STANDARD.items()
    }


@pytest.mark.parametrize(("owner", "name", "body"), EVERY, ids=NAMES)
def test_a_standard_facet_is_well_formed(owner: str, name: str, body: Any) -> None:
    assert problem(owner, name, encoded(body)) is None
    assert read(STANDARD[owner][name], encoded(body)) is not None


@pytest.mark.parametrize(("owner", "name", "body"), EVERY, ids=NAMES)
def test_fields_that_a_later_release_adds_are_no_problem(owner: str, name: str, body: Any) -> None:
    assert problem(owner, name, encoded({**body, "tomorrow": {"any": ["thing"]}})) is None


@pytest.mark.parametrize(("owner", "name", "body"), EVERY, ids=NAMES)
@pytest.mark.parametrize("missing", ["_producer", "_schemaURL"])
def test_a_facet_that_does_not_say_where_it_is_from_is_a_problem_but_still_read(
    owner: str, name: str, body: Any, missing: str
) -> None:
    partial = {key: value for key, value in body.items() if key != missing}
    assert missing in (problem(owner, name, encoded(partial)) or "")
    assert read(STANDARD[owner][name], encoded(partial)) is not None


@pytest.mark.parametrize(("owner", "name", "body"), EVERY, ids=NAMES)
@pytest.mark.parametrize("instead", [7, "text", [], None, True])
def test_a_facet_that_is_no_object_is_a_problem(owner: str, name: str, body: Any, instead: Any) -> None:
    assert problem(owner, name, encoded(instead))
    assert read(STANDARD[owner][name], encoded(instead)) is None


# A facet, the place to break, and what to put there.
BROKEN: list[tuple[str, str, list[Any], Any]] = [
    ("dataset", "schema", ["fields"], "id"),
    ("dataset", "schema", ["fields", 0, "name"], ...),
    ("dataset", "schema", ["fields", 0, "type"], 7),
    ("dataset", "columnLineage", ["fields"], ...),
    ("dataset", "columnLineage", ["fields", "total"], []),
    ("dataset", "columnLineage", ["fields", "total", "inputFields"], ...),
    ("dataset", "columnLineage", ["fields", "total", "inputFields", 0, "field"], ...),
    ("dataset", "columnLineage", ["fields", "total", "inputFields", 0, "transformations", 0, "type"], ...),
    ("dataset", "columnLineage", ["dataset", 0, "name"], ...),
    ("dataset", "symlinks", ["identifiers", 0, "name"], ...),
    ("dataset", "symlinks", ["identifiers"], {}),
    ("dataset", "lifecycleStateChange", ["lifecycleStateChange"], "EXPLODE"),
    ("dataset", "lifecycleStateChange", ["previousIdentifier", "name"], ...),
    ("dataset", "version", ["datasetVersion"], ...),
    ("dataset", "version", ["datasetVersion"], 1.5),
    ("dataset", "storage", ["storageLayer"], ...),
    ("dataset", "catalog", ["framework"], ...),
    ("dataset", "datasetType", ["datasetType"], 1),
    ("dataset", "hierarchy", ["hierarchy", 0, "type"], ...),
    ("dataset", "lineage", ["inputs", 0, "type"], "TABLE"),
    ("dataset", "dataQualityMetrics", ["columnMetrics", "price", "sum"], "much"),
    ("dataset", "dataQualityAssertions", ["assertions", 0, "success"], "yes"),
    ("dataset", "tags", ["tags", 0, "key"], ...),
    ("job", "jobType", ["integration"], ...),
    ("job", "sql", ["query"], ...),
    ("job", "sourceCode", ["language"], ...),
    ("job", "sourceCodeLocation", ["url"], ...),
    ("job", "documentation", ["description"], ...),
    ("job", "ownership", ["owners", 0, "name"], 7),
    ("job", "lineage", ["entries"], ...),
    ("job", "lineage", ["entries", 0, "type"], "TABLE"),
    ("run", "parent", ["run"], ...),
    ("run", "parent", ["job", "name"], ...),
    ("run", "parent", ["root", "run", "runId"], 7),
    ("run", "nominalTime", ["nominalStartTime"], ...),
    ("run", "errorMessage", ["message"], ...),
    ("run", "externalQuery", ["source"], ...),
    ("run", "extractionError", ["totalTasks"], "2"),
    ("run", "processing_engine", ["version"], 3),
    ("run", "environmentVariables", ["environmentVariables", 0, "value"], ...),
    ("run", "executionParameters", ["parameters", 0, "key"], ...),
    ("run", "headwater_lease", ["seconds"], 0),
    ("run", "headwater_lost", ["lastSeen"], ...),
    ("run", "jobDependencies", ["upstream", 0, "job"], ...),
    ("run", "test", ["tests", 0, "status"], ...),
    ("input", "inputStatistics", ["rowCount"], "ten"),
    ("output", "outputStatistics", ["size"], 1.5),
]  # fmt: skip


@pytest.mark.parametrize(
    ("owner", "name", "path", "value"),
    BROKEN,
    ids=[f"{owner} {name} {'.'.join(str(part) for part in path)}" for owner, name, path, _ in BROKEN],
)
def test_a_broken_facet_is_told_with_the_place(owner: str, name: str, path: list[Any], value: Any) -> None:
    body = json.loads(json.dumps(EXAMPLES[owner][name]))
    node = body
    for part in path[:-1]:
        node = node[part]
    if value is ...:
        del node[path[-1]]
    else:
        node[path[-1]] = value
    told = problem(owner, name, encoded(body))
    assert told
    last_name = next(part for part in reversed(path) if isinstance(part, str))
    assert last_name in told or "[...]" in told  # keys that the sender chose are not in the path
    assert read(STANDARD[owner][name], encoded(body)) is None


@pytest.mark.parametrize(("owner", "name"), [("run", "spark_properties"), ("dataset", "dbt"), ("input", "subset")])
def test_a_facet_of_one_s_own_needs_only_what_every_facet_has(owner: str, name: str) -> None:
    assert problem(owner, name, encoded(facet(any=["thing", {"at": "all"}]))) is None
    assert problem(owner, name, encoded({"any": "thing"}))


def test_a_version_sent_as_a_number_stays_exact() -> None:
    sent = encoded(facet(datasetVersion=2**70 + 1))
    said = read(standard.Version, sent)
    assert said is not None
    assert str(said.datasetVersion) == str(2**70 + 1)


@pytest.mark.parametrize("depth", [500, 100_000])
def test_a_facet_of_any_depth_is_a_problem_at_most(depth: int) -> None:
    deep = b'{"fields":' * depth + b"1" + b"}" * depth
    problem("dataset", "schema", deep)
    problem("dataset", "custom", deep)
    assert read(standard.Schema, deep) is None


def test_half_a_surrogate_pair_in_a_facet_is_a_problem_and_no_more() -> None:
    body = encoded(facet(fields=[{"name": "HERE"}])).replace(b"HERE", b"\\ud800")
    assert problem("dataset", "schema", body)
    assert read(standard.Schema, body) is None
