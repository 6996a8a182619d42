"""Schemas of topics from registries of prepared answers: versions, references, strategies, and what goes wrong."""

import json
import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from headwater.capture.connect.broker import Record
from headwater.capture.connect.registry import confluent_api
from headwater.capture.connect.topic_schemas import DOWN_SECONDS, FRESH_SECONDS, SAMPLE_SECONDS, Schemas

AVRO = "io.confluent.connect.avro.AvroConverter"


@dataclass
class Registered:
    """Versions by subject, and what was asked."""

    url: str
    subjects: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    status: int = 200
    asked: list[str] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)

    def add(self, subject: str, *columns: str, **more: Any) -> None:
        fields = [{"name": name, "type": "string"} for name in columns]
        text = json.dumps({"type": "record", "name": "Row", "fields": fields})
        versions = self.subjects.setdefault(subject, [])
        versions.append({"subject": subject, "version": len(versions) + 1, "id": 1, "schema": text, **more})

    def reply(self, path: str) -> tuple[int, Any]:
        if self.status != 200:
            return self.status, {"message": "no"}
        match path.strip("/").split("/"):
            case ["subjects"]:
                return 200, list(self.subjects)
            case ["subjects", subject, "versions"] if subject in self.subjects:
                return 200, [each["version"] for each in self.subjects[subject]]
            case ["subjects", subject, "versions", number] if subject in self.subjects:
                return 200, self.subjects[subject][int(number) - 1]
        return 404, {"error_code": 40401, "message": "Subject not found."}


@contextmanager
def registry() -> Iterator[Registered]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            made.asked.append(self.path)
            made.logins.append(self.headers.get("Authorization"))
            status, said = made.reply(self.path)
            body = json.dumps(said).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output to the test's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        made = Registered(f"http://127.0.0.1:{http.server_port}")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield made
        finally:
            http.shutdown()
            thread.join()


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def config(url: str, **more: str) -> dict[str, str]:
    return {
        "connector.class": "org.example.Sink",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": AVRO,
        "value.converter.schema.registry.url": url,
        **{f"value.converter.{key.replace('__', '.')}": value for key, value in more.items()},
    }


def columns(schemas: Schemas, settings: dict[str, str], topic: str = "orders") -> list[str]:
    found = schemas.of_topic(settings, topic).value
    return [] if found is None else [each.name for each in found.fields]


def test_a_new_version_is_seen_and_an_old_one_is_not_asked_for_twice() -> None:
    clock = Clock()
    with registry() as made, Schemas(clock=clock) as schemas:
        assert columns(schemas, config(made.url)) == []
        made.add("orders-value", "id", "price")
        clock.now += FRESH_SECONDS
        assert columns(schemas, config(made.url)) == ["id", "price"]
        made.asked.clear()
        assert columns(schemas, config(made.url)) == ["id", "price"]
        assert made.asked == []
        clock.now += FRESH_SECONDS
        columns(schemas, config(made.url))
        assert made.asked == ["/subjects/orders-value/versions"]
        made.add("orders-value", "id", "price", "note")
        clock.now += FRESH_SECONDS
        assert columns(schemas, config(made.url)) == ["id", "price", "note"]
        found = schemas.of_topic(config(made.url), "orders").value
        assert found is not None
        assert found.version == "2"


def test_references_are_followed() -> None:
    with registry() as made, Schemas() as schemas:
        made.subjects["place"] = [
            {
                "version": 1,
                "schema": '{"type": "record", "name": "Place", "fields": [{"name": "city", "type": "string"}]}',
            }
        ]
        text = '{"type": "record", "name": "Row", "fields": [{"name": "to", "type": "Place"}]}'
        reference = {"name": "Place", "subject": "place", "version": 1}
        made.subjects["orders-value"] = [{"version": 1, "schema": text, "references": [reference]}]
        found = schemas.of_topic(config(made.url), "orders").value
    assert found is not None
    assert [each.name for each in found.fields[0].fields] == ["city"]


def test_a_registry_that_is_down_is_said_once_and_what_was_known_stays(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    with registry() as made, Schemas(clock=clock) as schemas:
        made.add("orders-value", "id")
        columns(schemas, config(made.url))
        made.status = 503
        with caplog.at_level(logging.INFO, logger="headwater"):
            for _ in range(5):
                clock.now += FRESH_SECONDS
                assert columns(schemas, config(made.url)) == ["id"]
            assert len(caplog.records) == 1
            made.status = 200
            made.add("orders-value", "id", "note")
            clock.now += DOWN_SECONDS
            assert columns(schemas, config(made.url)) == ["id", "note"]
            assert "answers again" in caplog.records[-1].getMessage()


def test_a_registry_that_refuses_us_says_how_to_be_let_in() -> None:
    with registry() as made, Schemas() as schemas:
        made.status = 401
        problem = schemas.of_topic(config(made.url), "orders").problem
    assert "HEADWATER_REGISTRY" in problem


def test_a_schema_that_cannot_be_read_leaves_the_columns_of_the_one_before(caplog: pytest.LogCaptureFixture) -> None:
    clock = Clock()
    with registry() as made, Schemas(clock=clock) as schemas:
        made.add("orders-value", "id")
        columns(schemas, config(made.url))
        made.add("orders-value", "id", schema="{")
        clock.now += FRESH_SECONDS
        found = schemas.of_topic(config(made.url), "orders")
    assert found.value is not None
    assert "version 2 of orders-value cannot be read" in found.problem
    assert "version 2 of orders-value cannot be read" in caplog.text


def test_the_login_of_the_converter_is_used_and_a_placeholder_is_not() -> None:
    with registry() as made, Schemas() as schemas:
        login = {"basic__auth__credentials__source": "USER_INFO", "basic__auth__user__info": "me:hunter2"}
        schemas.of_topic(config(made.url, **login), "orders")
        assert made.logins[-1] == "Basic bWU6aHVudGVyMg=="
        schemas.of_topic(config(made.url, **login | {"basic__auth__user__info": "${env:LOGIN}"}), "orders")
        assert made.logins[-1] is None


def test_the_registry_that_a_person_names_is_asked_instead() -> None:
    with registry() as made:
        made.add("orders-value", "id")
        given = made.url.replace("//", "//me:hunter2@")
        with Schemas(given) as schemas:
            assert columns(schemas, config("http://${env:REGISTRY}:8081")) == ["id"]
            assert made.logins[-1] == "Basic bWU6aHVudGVyMg=="
        with Schemas() as schemas:
            assert "--registry" in schemas.of_topic(config("http://${env:REGISTRY}:8081"), "orders").problem


def test_records_that_carry_their_schemas_are_sampled_now_and_then() -> None:
    clock, asked = Clock(), []
    schema = {"type": "struct", "fields": [{"field": "id", "type": "string"}, {"field": "price", "type": "double"}]}
    value = json.dumps({"schema": schema, "payload": {"id": "a", "price": 1.0}}).encode()
    records: list[Record | None] = [None, Record(b'"a"', value)]

    def sample(topic: str) -> Record | None:
        asked.append(topic)
        return records[min(len(asked), len(records)) - 1]

    settings = {"value.converter": "org.apache.kafka.connect.json.JsonConverter"}
    with Schemas(clock=clock, sample=sample) as schemas:
        assert "no record of orders was seen yet" in schemas.of_topic(settings, "orders").problem
        assert columns(schemas, settings) == ["id", "price"]
        assert columns(schemas, settings) == ["id", "price"]
        assert len(asked) == 2
        clock.now += SAMPLE_SECONDS
        records[1] = Record(None, b"\xff")
        assert "no schema that can be read" in schemas.of_topic(settings, "orders").problem


@pytest.mark.parametrize(
    ("url", "api"),
    [
        ("http://r:8081/apis/registry/v2", "http://r:8081/apis/ccompat/v7"),
        ("http://r:8081/apis/registry/v3/", "http://r:8081/apis/ccompat/v7"),
        ("http://r:8081/apis/ccompat/v7", "http://r:8081/apis/ccompat/v7"),
        ("http://a:8081/,http://b:8081", "http://a:8081"),
    ],
)
def test_the_confluent_api_is_found_beside_apicurio_s_own(url: str, api: str) -> None:
    assert confluent_api(url) == api
