from pathlib import Path

import pytest

from headwater.stack.files import create_private, private_folder, write_private


def test_a_private_file_is_its_owners_alone_and_replaced_whole(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    write_private(file, "old")
    file.chmod(0o644)
    write_private(file, "new")
    assert file.read_text() == "new"
    assert file.stat().st_mode & 0o777 == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_a_file_is_created_only_once(tmp_path: Path) -> None:
    file = tmp_path / "secret"
    assert create_private(file, "first")
    assert not create_private(file, "second")
    assert file.read_text() == "first"
    assert list(tmp_path.iterdir()) == [file]


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path: Path) -> None:
    folder = tmp_path / "in the way"
    folder.mkdir()
    (folder / "x").touch()
    with pytest.raises(OSError, match="in the way"):
        write_private(folder, "text")
    assert list(tmp_path.iterdir()) == [folder]


def test_a_private_folder_is_closed_to_others_even_if_it_was_open(tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    folder.mkdir(parents=True, mode=0o755)
    assert private_folder(folder).stat().st_mode & 0o777 == 0o700
