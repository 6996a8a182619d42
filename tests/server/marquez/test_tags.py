"""Tags: on their own, on jobs, datasets and columns."""

from typing import Any

import pytest

from tests.server.making import dataset, run
from tests.server.serving import Running

TABLE = "/api/v1/namespaces/ns/datasets/b"
JOB = "/api/v1/namespaces/ns/jobs/load"


@pytest.fixture
def tagged(server: Running) -> Running:
    server.post(run("load", "a", [dataset("b", "id name")]))
    return server


def test_a_tag_that_was_put_is_listed_with_its_description(server: Running) -> None:
    assert server.http.put("/api/v1/tags/PII", json={"description": "personal"}).json() == {
        "name": "PII",
        "description": "personal",
    }
    server.http.put("/api/v1/tags/A", json={"description": None})
    assert server.get("/api/v1/tags") == {
        "tags": [{"name": "A", "description": None}, {"name": "PII", "description": "personal"}]
    }
    assert server.get("/api/v1/tags", limit=1, offset=1)["tags"][0]["name"] == "PII"  # type: ignore[index]


def test_tags_of_a_dataset_and_a_job_stay_as_written(tagged: Running) -> None:
    for path in (TABLE, JOB):
        assert tagged.http.post(f"{path}/tags/Gold%2F1").json()["tags"] == ["Gold/1"]
        assert tagged.http.post(f"{path}/tags/Gold%2F1").json()["tags"] == ["Gold/1"]
        assert tagged.get(path)["tags"] == ["Gold/1"]  # type: ignore[index]
        assert tagged.http.delete(f"{path}/tags/Gold%2F1").json()["tags"] == []
    assert tagged.get("/api/v1/tags") == {"tags": [{"name": "Gold/1", "description": None}]}


def test_tags_of_a_column_are_in_capitals(tagged: Running) -> None:
    answer = tagged.http.post(f"{TABLE}/fields/id/tags/pii").json()
    assert {field["name"]: field["tags"] for field in answer["fields"]} == {"id": ["PII"], "name": []}
    assert tagged.http.delete(f"{TABLE}/fields/id/tags/pii").json()["fields"][0]["tags"] == []


def test_tags_survive_a_new_schema(tagged: Running) -> None:
    tagged.http.post(f"{TABLE}/fields/id/tags/KEY")
    tagged.post(run("load", "a", [dataset("b", "id name extra")], at="2026-01-02T00:00:00Z"))
    fields: Any = tagged.get(TABLE)["fields"]  # type: ignore[index]
    assert [field["tags"] for field in fields] == [["KEY"], [], []]


def test_tagging_what_is_not_there_is_404(tagged: Running) -> None:
    for path, message in (
        ("/api/v1/namespaces/none/datasets/b/tags/X", "Namespace 'none' not found."),
        ("/api/v1/namespaces/ns/datasets/none/tags/X", "Dataset 'none' not found."),
        (f"{TABLE}/fields/none/tags/X", "Field 'none' not found for dataset 'b'."),
        ("/api/v1/namespaces/ns/jobs/none/tags/X", "Job 'none' not found."),
    ):
        assert tagged.http.post(path).json() == {"code": 404, "message": message}
