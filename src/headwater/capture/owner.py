"""Who has a box: a directory is made, taken and removed only under the lock in it, which ends with its process."""

import errno
import fcntl
import os
import secrets
import sys
import time
from contextlib import suppress
from pathlib import Path

import msgspec

OWNER_FILE = "owner"
UNFINISHED = ".new-"


class Owner(msgspec.Struct, frozen=True):
    """Whose box it is, and the address that its events are meant for; None if that was not known."""

    address: str | None = None
    pid: int = 0
    program: str = ""


def make_directory(root: Path, address: str | None) -> tuple[Path, int]:
    """A new directory and its lock, taken before anyone else can see it. OSError if the disk does not allow it."""
    root.mkdir(mode=0o700, parents=True, exist_ok=True)
    name = f"{time.time_ns():020d}-{os.getpid()}-{secrets.token_hex(3)}"
    unfinished, path = root / (UNFINISHED + name), root / name
    owner = msgspec.json.encode(Owner(address, os.getpid(), Path(sys.argv[0]).name if sys.argv else ""))
    unfinished.mkdir(mode=0o700)
    lock = -1
    try:
        lock = os.open(unfinished / OWNER_FILE, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.write(lock, owner) < len(owner):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        unfinished.rename(path)
    except OSError:
        remove_directory(unfinished)
        if lock >= 0:
            os.close(lock)
        raise
    return path, lock


def take_lock(path: Path) -> int | None:
    """The lock of a box whose process is gone; None if it lives, or if another has taken or removed the box."""
    try:
        lock = os.open(path / OWNER_FILE, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Another may have emptied and removed it between the two calls.
        if os.path.samestat(os.fstat(lock), os.stat(path / OWNER_FILE)):
            return lock
    except OSError:
        pass
    os.close(lock)
    return None


def read_owner(path: Path) -> Owner:
    """The owner of a box; one that is not known if its file cannot be read."""
    try:
        return msgspec.json.decode((path / OWNER_FILE).read_bytes(), type=Owner)
    except (OSError, msgspec.MsgspecError):
        return Owner()


def remove_directory(path: Path) -> None:
    """Remove a box whose lock is held, its lock last; what cannot be removed stays."""
    with suppress(OSError):
        for name in sorted(os.listdir(path), key=lambda name: name == OWNER_FILE):
            (path / name).unlink()
        path.rmdir()


def list_directories(root: Path) -> list[Path]:
    """The boxes in an outbox, the oldest first."""
    try:
        return [root / name for name in sorted(os.listdir(root)) if name[:1].isdigit()]
    except OSError:
        return []


def remove_unfinished(root: Path, now: float) -> None:
    """Remove the directories that a killed process did not finish, a minute after."""
    with suppress(OSError):
        for name in os.listdir(root):
            if name.startswith(UNFINISHED) and now - (root / name).stat().st_mtime > 60:
                remove_directory(root / name)
