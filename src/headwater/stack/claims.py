"""Ports that a start has chosen and no service listens on yet: another lab that starts meanwhile leaves them alone."""

import fcntl
import os
from contextlib import AbstractContextManager
from pathlib import Path

from headwater.stack.files import private_folder


class Claims(AbstractContextManager["Claims"]):
    """The ports that one start has claimed, until it is closed; the system takes them back from a killed process."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.held: dict[int, int] = {}

    def __exit__(self, *_: object) -> None:
        while self.held:
            os.close(self.held.popitem()[1])

    def take(self, port: int) -> bool:
        """Claim a port; False if another start has."""
        if port in self.held:
            return True
        private_folder(self.folder)
        descriptor = os.open(self.folder / str(port), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            return False
        self.held[port] = descriptor
        return True
