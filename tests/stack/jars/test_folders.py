from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from headwater.artifacts import Artifact
from headwater.stack.jars.folders import download_shown, fill_sets, jar_cache, jar_sets, jars_of, link
from headwater.stack.jars.sets import read_lock
from headwater.stack.lab import Lab
from headwater.stack.services import SERVICES
from headwater.stack.settings import LabSettings
from tests.stack.small import small_lab
from tests.test_artifacts import BODY, Repository, maven

__all__ = ["maven"]


def test_the_sets_of_every_real_service_are_in_the_lock(lab: Lab) -> None:
    assert jar_sets(lab, SERVICES) <= read_lock().keys()


def test_a_service_of_the_users_own_needs_no_jars(tmp_path: Path) -> None:
    lab = small_lab(tmp_path / "lab", LabSettings(kafka_bootstrap="b:1", connect_url="http://c:1"))
    assert "kafka" not in jar_sets(lab, SERVICES)


def test_a_file_of_several_sets_counts_once(monkeypatch: pytest.MonkeyPatch) -> None:
    shared = Artifact("a.jar", 1, "0")
    monkeypatch.setattr("headwater.stack.jars.folders.read_lock", lambda: {"x": (shared,), "y": (shared,)})
    assert jars_of(["x", "y"]) == {shared}


def test_a_set_is_downloaded_once_and_linked_into_its_folder(
    lab: Lab, maven: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    artifact = maven.publish("org/shop/a-1.jar", BODY)
    monkeypatch.setattr("headwater.stack.jars.folders.read_lock", lambda: {"shop": (artifact,)})
    env = {"HEADWATER_MAVEN_URL": maven.url}
    assert fill_sets(lab, ["shop"], Console(quiet=True), env) == artifact.size
    assert fill_sets(lab, ["shop"], Console(quiet=True), env) == 0
    assert (lab.jar_folder("shop") / "a-1.jar").read_bytes() == BODY
    assert (jar_cache(lab) / artifact.path).exists()


def test_a_folder_holds_what_it_must_and_nothing_else(tmp_path: Path) -> None:
    folder = tmp_path / "set"
    folder.mkdir()
    (folder / "old.jar").symlink_to("/nowhere/old.jar")
    (folder / "a.jar").symlink_to("/nowhere/1/a.jar")
    (folder / "b.jar").write_text("a copy")
    wanted = [Path("/cache/2/a.jar"), Path("/cache/b.jar"), Path("/cache/c.jar")]
    for _ in range(2):
        link(folder, wanted)
        assert {entry.name: entry.readlink() for entry in folder.iterdir()} == {file.name: file for file in wanted}


@pytest.mark.parametrize("terminal", [True, False])
def test_a_download_is_shown(maven: Repository, tmp_path: Path, terminal: bool) -> None:
    artifacts = [maven.publish(f"{n}.jar", BODY) for n in range(2)]
    text = StringIO()
    console = Console(file=text, force_terminal=terminal, width=150)
    download_shown(artifacts, tmp_path, console, {"HEADWATER_MAVEN_URL": maven.url})
    assert "downloading 2 files, 2 MB" in text.getvalue()
    assert ("100%" in text.getvalue() or "2.1/2.1 MB" in text.getvalue()) == terminal
