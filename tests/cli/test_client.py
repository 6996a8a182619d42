import pytest

from headwater.cli import client
from tests.cli.conftest import Server, run


def test_a_hostile_name_stays_one_segment_of_the_path() -> None:
    assert client.path("namespaces", "s3://a b/#?%", "jobs") == "/namespaces/s3%3A%2F%2Fa%20b%2F%23%3F%25/jobs"


def test_a_name_reaches_the_server_as_it_was_typed(server: Server) -> None:
    target = "/api/v1/namespaces/kafka%3A%2F%2Fa%3A9092/jobs?limit=100&offset=0"
    server.says(target, {"jobs": [], "totalCount": 0})
    assert run("jobs", "kafka://a:9092").exit_code == 0
    assert server.asked == [target]


@pytest.mark.parametrize(
    ("status", "body", "said"),
    [
        (404, b'{"code": 404, "message": "no namespace \'x\'"}', "answered 404: no namespace 'x'"),
        (
            400,
            b'{"errors": ["limit must be positive", "offset too"]}',
            "answered 400: limit must be positive; offset",
        ),
        (502, b"<h1>Bad gateway</h1>", "answered 502: <h1>Bad gateway</h1>"),
        (500, b"", "answered 500: nothing"),
        (200, b"<h1>Hello</h1>", "not one of a Headwater server"),
        (200, b'{"name": "something else"}', "not one of a Headwater server"),
    ],
)
def test_an_answer_that_is_no_list_is_explained(server: Server, status: int, body: bytes, said: str) -> None:
    server.says("/api/v1/jobs?limit=100&offset=0", body, status)
    result = run("jobs")
    assert result.exit_code == 1
    assert said in result.stderr


def test_the_url_flag_beats_the_environment(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_URL", "http://127.0.0.1:1")
    server.says("/api/v1/jobs?limit=100&offset=0", {"jobs": [], "totalCount": 0})
    assert run("jobs", "--url", server.url + "/").stdout == "no jobs\n"
