"""Connector files: what is read, what is filled, and what is left to the worker."""

import json
from pathlib import Path

import pytest

from headwater.capture.connect.files import Connector, ConnectorFileError, parse, read


def write(folder: Path, text: str) -> Path:
    file = folder / "mine.json"
    file.write_text(text)
    return file


def test_a_file_may_have_comments_and_an_error_still_names_the_right_line(tmp_path: Path) -> None:
    text = '// why\n{"name": "a", /* of\n two lines */\n  // what for\n  "config": {"url": "http://host//path"}} // end'
    assert read(write(tmp_path, text), {}).config == {"url": "http://host//path"}
    with pytest.raises(ConnectorFileError, match="line 4"):
        read(write(tmp_path, '// why\n{"name": /* a\n comment */ "a",\n  oops}'), {})


def test_a_comment_inside_a_text_is_part_of_it() -> None:
    assert parse('{"name": "a", "config": {"k": "a /* b */ \\" // c"}}', {}, "here").config["k"] == 'a /* b */ " // c'


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ('{"connector.class": "org.example.Sink", "name": "theirs", "tasks.max": 2}', "theirs"),
        ('{"connector.class": "org.example.Sink", "tasks.max": 2}', "mine"),
        ('{"name": "theirs", "config": {"connector.class": "org.example.Sink", "tasks.max": 2}}', "theirs"),
    ],
)
def test_settings_alone_are_a_connector_named_by_themselves_or_by_the_file(
    tmp_path: Path, text: str, name: str
) -> None:
    expected = {"connector.class": "org.example.Sink", "tasks.max": "2"}
    assert read(write(tmp_path, text), {}) == Connector(name, expected)


def test_numbers_and_truth_become_the_text_that_a_worker_keeps() -> None:
    found = parse('{"name": "a", "config": {"n": 2, "x": 0.5, "t": true, "f": false}}', {}, "here")
    assert found.config == {"n": "2", "x": "0.5", "t": "true", "f": "false"}


def test_capitals_are_filled_and_what_the_worker_or_camel_fills_is_left(tmp_path: Path) -> None:
    given = "${HOST}:${PORT} ${env:PASSWORD} ${file:/etc/secrets:key} ${headers[key]} ${exchangeId} $1"
    file = write(tmp_path, json.dumps({"name": "a", "config": {"k": given}}))
    filled = read(file, {"HOST": "db", "PORT": "1"}).config["k"]
    assert filled == "db:1 ${env:PASSWORD} ${file:/etc/secrets:key} ${headers[key]} ${exchangeId} $1"


def test_an_unknown_placeholder_is_an_error_that_lists_the_known_ones(tmp_path: Path) -> None:
    file = write(tmp_path, '{"name": "a", "config": {"k": "${HOSTT}"}}')
    with pytest.raises(ConnectorFileError, match=r"\$\{HOSTT\} at k in .*mine.json; known ones: HOST, PORT"):
        read(file, {"PORT": "1", "HOST": "db"})
    with pytest.raises(ConnectorFileError, match=r"\$\{HOSTT\} at k in .*mine.json; set it in the environment"):
        read(file, {f"V{n}": "" for n in range(100)})


@pytest.mark.parametrize(
    "text",
    ["[]", '{"name": "a"}', '{"name": 1, "config": {}}', '{"name": "a", "config": {"k": null}}', '{"topics": "a"}'],
)
def test_what_is_no_connector_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(ConnectorFileError, match="expected"):
        read(write(tmp_path, text), {})


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConnectorFileError, match=r"nothing\.json"):
        read(tmp_path / "nothing.json", {})
