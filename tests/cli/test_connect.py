"""`headwater connect`: each command against a worker's API."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.capture.connect.workers import Fake, fake_worker
from tests.cli.conftest import run

SMT = "io.factorhouse.smt.OpenLineageLifecycleSmt"


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch) -> Iterator[Fake]:
    """A worker, at which HEADWATER_CONNECT points."""
    with fake_worker() as fake:
        monkeypatch.setenv("HEADWATER_CONNECT", fake.url)
        yield fake


def write(folder: Path, name: str, **config: str) -> str:
    settings = {"connector.class": "org.example.Sink", "topics": "orders"}
    settings |= {key.replace("__", "."): value for key, value in config.items()}
    file = folder / f"{name}.json"
    file.write_text("// of a test\n" + json.dumps({"name": name, "config": settings}))
    return str(file)


@pytest.mark.parametrize(
    "command",
    ["watch", "apply", "diff", "list", "status", "pause", "resume", "stop", "restart", "delete", "offsets"],
)
def test_every_command_teaches_with_an_example(command: str) -> None:
    result = run("connect", command, "--help")
    assert result.exit_code == 0
    assert f"Example: headwater connect {command}" in result.stdout


def test_the_list_shows_the_state_that_the_tasks_are_in(worker: Fake) -> None:
    worker.has("well", "RUNNING", "RUNNING")
    worker.has("ill", "RUNNING", "FAILED", password="s3cret")
    out = run("connect", "list").stdout
    assert out.splitlines()[2].split()[1:4] == ["well", "sink", "2/2"]
    assert "PARTLY_FAILED" in out
    assert "NotAuthorized: ******** is not the password" in out
    rows = json.loads(run("connect", "list", "--json").stdout)
    assert [(row["name"], row["state"], row["failed"]) for row in rows] == [
        ("ill", "PARTLY_FAILED", 1),
        ("well", "RUNNING", 0),
    ]


def test_an_empty_worker_says_what_to_do(worker: Fake) -> None:
    assert "headwater connect apply FILE" in run("connect", "list").stdout


def test_a_worker_that_is_not_there_is_one_line_and_exit_1(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWATER_CONNECT", "http://me:hunter2@127.0.0.1:1")
    result = run("connect", "list")
    assert result.exit_code == 1
    assert len(result.stderr.splitlines()) == 1
    assert "--connect" in result.stderr
    assert "hunter2" not in result.stderr


def test_status_exits_with_1_when_something_failed(worker: Fake) -> None:
    worker.has("well")
    assert run("connect", "status", "well").exit_code == 0
    worker.has("ill", "FAILED", password="s3cret")
    result = run("connect", "status")
    assert result.exit_code == 1
    assert "NotAuthorized" in result.stdout
    assert "s3cret" not in result.stdout
    told = json.loads(run("connect", "status", "ill", "--json").stdout)
    assert (told[0]["state"], told[0]["tasks"][0]["state"]) == ("FAILED", "FAILED")


@pytest.mark.parametrize(
    ("arguments", "said", "asked"),
    [
        (["pause"], "paused", "PUT /connectors/sink/pause"),
        (["resume"], "resumed", "PUT /connectors/sink/resume"),
        (["stop"], "stopped", "PUT /connectors/sink/stop"),
        (["restart"], "restarted", "POST /connectors/sink/restart?includeTasks=true&onlyFailed=false"),
        (["restart", "--failed"], "restarted", "POST /connectors/sink/restart?includeTasks=true&onlyFailed=true"),
        (["delete", "--yes"], "deleted", "DELETE /connectors/sink"),
    ],
)
def test_a_change_is_asked_for_and_said(worker: Fake, arguments: list[str], said: str, asked: str) -> None:
    worker.has("sink")
    result = run("connect", *arguments, "sink")
    assert (result.exit_code, result.stdout) == (0, f"{said} sink\n")
    assert worker.asked[-1] == asked


def test_a_connector_that_is_not_there_is_an_error_before_anything_is_changed(worker: Fake) -> None:
    worker.has("sink")
    result = run("connect", "pause", "sink", "sunk")
    assert result.exit_code == 1
    assert "no connector 'sunk'" in result.stderr
    assert not [request for request in worker.asked if not request.startswith("GET")]


def test_nothing_is_deleted_unasked(worker: Fake) -> None:
    worker.has("sink")
    result = run("connect", "delete", "sink")
    assert result.exit_code == 1
    assert "--yes" in result.stderr
    assert "sink" in worker.connectors


def test_offsets_are_shown(worker: Fake) -> None:
    worker.has("sink")
    assert "no offsets yet" in run("connect", "offsets", "sink").stdout
    worker.offsets["sink"] = [{"partition": {"kafka_topic": "orders"}, "offset": {"kafka_offset": 7}}]
    assert "kafka_topic orders  kafka_offset 7" in run("connect", "offsets", "sink").stdout
    assert json.loads(run("connect", "offsets", "sink", "--json").stdout) == worker.offsets["sink"]


def test_apply_creates_changes_and_leaves_alone(worker: Fake, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WHERE", "here")
    file = write(tmp_path, "sink", place="${WHERE}", password="${env:PASSWORD}")
    assert run("connect", "apply", file).stdout == "created sink\n"
    config = worker.connectors["sink"]["info"]["config"]
    assert (config["place"], config["password"]) == ("here", "${env:PASSWORD}")
    assert run("connect", "apply", file).stdout == "unchanged sink\n"
    assert run("connect", "apply", write(tmp_path, "sink", place="there")).stdout == "changed sink\n"


def test_apply_prints_each_fault_by_its_key_and_changes_nothing(worker: Fake, tmp_path: Path) -> None:
    worker.faults = {"topics": ["it is wrong", "and old"], "tasks.max": ["too many"]}
    files = [write(tmp_path, "one"), write(tmp_path, "two")]
    result = run("connect", "apply", *files)
    assert result.exit_code == 1
    assert result.stderr.splitlines()[:3] == [
        "one: topics: it is wrong",
        "one: topics: and old",
        "one: tasks.max: too many",
    ]
    assert "nothing was changed: the worker finds fault with 2 of 2 files" in result.stderr
    assert worker.connectors == {}


def test_a_dry_run_only_checks(worker: Fake, tmp_path: Path) -> None:
    assert "no fault to find with sink" in run("connect", "apply", "--dry-run", write(tmp_path, "sink")).stdout
    assert worker.connectors == {}


@pytest.mark.parametrize("has_it", [False, True])
def test_the_reference_transform_is_left_out_where_the_worker_lacks_it(
    worker: Fake, tmp_path: Path, has_it: bool
) -> None:
    worker.plugins = [{"class": SMT, "type": "transformation"}] if has_it else []
    settings = {
        "transforms": "openlineage,unwrap",
        "transforms__openlineage__type": SMT,
        "transforms__openlineage__connector__name": "their-name",
        "transforms__unwrap__type": "org.example.Unwrap",
    }
    result = run("connect", "apply", write(tmp_path, "sink", **settings))
    assert result.exit_code == 0
    config = worker.connectors["sink"]["info"]["config"]
    assert config["transforms"] == ("openlineage,unwrap" if has_it else "unwrap")
    assert config["transforms.openlineage.connector.name"] == "their-name"
    assert ("is left out" in result.stderr) is not has_it


def test_diff_shows_what_apply_would_change_without_secrets(worker: Fake, tmp_path: Path) -> None:
    file = write(tmp_path, "sink", password="hunter2hunter2", tasks__max="2")
    result = run("connect", "diff", file)
    assert result.exit_code == 1
    assert "sink would be created" in result.stdout
    run("connect", "apply", file)
    assert run("connect", "diff", file).exit_code == 0
    result = run("connect", "diff", write(tmp_path, "sink", password="another-secret", tasks__max="3"))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        "sink would be changed",
        "- password: ********",
        "+ password: ********",
        "- tasks.max: 2",
        "+ tasks.max: 3",
    ]


def test_a_name_that_several_clusters_have_must_be_told_apart(worker: Fake) -> None:
    worker.has("sink")
    with fake_worker() as other:
        other.has("sink")
        clusters = ["--connect", f"a={worker.url}", "--connect", f"b={other.url}"]
        result = run("connect", "pause", "sink", *clusters)
        assert result.exit_code == 1
        assert "a/sink or b/sink" in result.stderr
        assert run("connect", "pause", "b/sink", *clusters).stdout == "paused sink at b\n"
        assert other.connectors["sink"]["status"]["connector"]["state"] == "PAUSED"
        assert len(json.loads(run("connect", "list", "--json", *clusters).stdout)) == 2
        assert run("connect", "apply", "x.json", *clusters).exit_code == 2
