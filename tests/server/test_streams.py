"""Streams with the figures of their last hour."""

from typing import Any

from tests.server.making import facet, run, run_id
from tests.server.serving import Running

STREAM = {"jobType": facet(processingType="STREAMING", integration="SPARK", jobType="QUERY")}
CONNECTOR = {"jobType": facet(processingType="STREAMING", integration="KAFKA_CONNECT", jobType="CONNECTOR")}


def progress(batch: int, rate: float, lags: tuple[float, ...]) -> dict[str, Any]:
    """Run facets that a streaming query sends while it runs."""
    said = facet(
        batchId=batch,
        inputRowsPerSecond=rate,
        processedRowsPerSecond=rate * 2,
        batchMillis=450,
        watermarkDelayMillis=5_000,
        stateRows=10,
        stateBytes=2_048,
        sources=[{"name": f"topic{number}", "lag": lag} for number, lag in enumerate(lags)],
    )
    return {"headwater_streamProgress": said}


def test_a_stream_shows_its_latest_run_hour_and_last_error(server: Running) -> None:
    error = facet(message="broker is gone", programmingLanguage="PYTHON")
    details = facet(uiWebUrl="http://driver:4040", historyUrl="javascript:alert(1)")
    server.post(
        run("query", "topic", "table", at="2026-01-01T00:00:00Z", run="first", state="START", job_facets=STREAM),
        run("query", at="2026-01-01T01:00:00Z", run="first", state="FAIL", run_facets={"errorMessage": error}),
        run("query", at="2026-01-02T00:00:00Z", run="second", state="START", run_facets=progress(0, 1.0, ())),
        run("query", at="2026-01-02T02:00:00Z", run="second", state="RUNNING", run_facets=progress(1, 10.0, (3, 4))),
        run(
            "query",
            at="2026-01-02T02:01:00Z",
            run="second",
            state="RUNNING",
            run_facets={**progress(2, 20.0, (0, 5)), "spark_applicationDetails": details},
        ),
        run("batch", "a", "b", job_facets={"jobType": facet(processingType="BATCH", integration="SPARK")}),
    )
    page: Any = server.get("/api/v2/streams")
    (stream,) = page["streams"]
    assert (stream["id"], stream["state"], stream["run"]) == ("job:ns:query", "RUNNING", run_id("second"))
    assert stream["restarts"] == 1
    assert stream["error"] == {
        "message": "broker is gone",
        "run": run_id("first"),
        "at": "2026-01-01T01:00:00.000Z",
    }
    assert [(p["at"][11:16], p["inputRowsPerSecond"], p["lag"]) for p in stream["points"]] == [
        ("02:00", 10.0, 7.0),
        ("02:01", 20.0, 5.0),
    ]
    assert stream["progress"]["batchId"] == 2
    assert (stream["uiUrl"], stream["historyUrl"]) == ("http://driver:4040", None)


def test_the_flow_of_a_connector_makes_points_too(server: Running) -> None:
    flow = {"headwater_flow": facet(recordsPerSecond=12.5, lag=40)}
    server.post(run("source", "", "topic", state="RUNNING", job_facets=CONNECTOR, run_facets=flow))
    page: Any = server.get("/api/v2/streams")
    (point,) = page["streams"][0]["points"]
    assert (point["inputRowsPerSecond"], point["lag"]) == (12.5, 40.0)


def test_a_connector_that_is_paused_says_so_while_its_run_is_open(server: Running) -> None:
    paused = {"headwater_connector": facet(state="PAUSED", cluster="c", name="source")}
    server.post(run("source", state="RUNNING", job_facets=CONNECTOR, run_facets=paused))
    page: Any = server.get("/api/v2/streams")
    assert (page["streams"][0]["state"], page["streams"][0]["condition"]) == ("RUNNING", "PAUSED")
    server.post(run("source", at="2026-01-02T00:00:00Z", state="ABORT", run="source 2026-01-01T00:00:00Z"))
    ended: Any = server.get("/api/v2/streams")
    assert (ended["streams"][0]["state"], ended["streams"][0]["condition"]) == ("ABORTED", None)


def test_a_facet_of_another_shape_gives_no_figures_and_no_error(server: Running) -> None:
    odd = {"headwater_streamProgress": facet(inputRowsPerSecond="many", sources="none")}
    server.post(run("query", state="RUNNING", job_facets=STREAM, run_facets=odd))
    page: Any = server.get("/api/v2/streams")
    (point,) = page["streams"][0]["points"]
    assert list(point) == ["at"]


def test_streams_are_filtered_like_jobs(server: Running) -> None:
    server.post(run("one", job_facets=STREAM), run("two", job_facets=STREAM, state="START"))
    page: Any = server.get("/api/v2/streams", state="RUNNING")
    assert [stream["name"] for stream in page["streams"]] == ["two"]
    pages: Any = server.get("/api/v2/streams", limit=1)
    rest: Any = server.get("/api/v2/streams", limit=1, cursor=pages["cursor"])
    assert [one["name"] for one in (*pages["streams"], *rest["streams"])] == ["one", "two"]
