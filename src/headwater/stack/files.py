"""Files that appear whole or not at all, and that only their owner can read."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


def private_folder(path: Path) -> Path:
    """The folder at path, made if absent, that only its owner can enter."""
    path.mkdir(parents=True, exist_ok=True)
    if path.stat().st_mode & 0o077:
        path.chmod(0o700)
    return path


def write_private(path: Path, text: str) -> None:
    """Replace a file by one with this text that only its owner can read; a reader sees the old or the new, whole."""
    with written_beside(path, text) as temporary:
        os.replace(temporary, path)


def create_private(path: Path, text: str) -> bool:
    """Write a new file that only its owner can read; False, and nothing is changed, if there is one already."""
    with written_beside(path, text) as temporary:
        try:
            os.link(temporary, path)
        except FileExistsError:
            return False
    return True


@contextmanager
def written_beside(path: Path, text: str) -> Iterator[str]:
    """A temporary file with this text in the folder of path, readable by its owner only; removed if still there."""
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        yield temporary
    finally:
        with suppress(FileNotFoundError):
            os.unlink(temporary)
