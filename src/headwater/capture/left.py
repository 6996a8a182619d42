"""What processes that are gone have left: their boxes, adopted, and sent in turn."""

from __future__ import annotations

from pathlib import Path

from headwater.capture.box import Box
from headwater.capture.owner import list_directories, read_owner
from headwater.capture.records import Record


class Left:
    """The boxes that this process has adopted, for the backend at `address`."""

    def __init__(self, root: Path, address: str | None, *, adopt_all: bool) -> None:
        self._root, self._address, self._adopt_all = root, address, adopt_all
        self.boxes: list[Box] = []

    @property
    def waiting(self) -> int:
        """Events in them that are not settled."""
        return sum(box.waiting for box in self.boxes)

    def adopt(self, own: Box | None) -> None:
        """Take every box that is meant for our backend, or for none yet, and whose process is gone."""
        known = {box.path for box in (own, *self.boxes) if box is not None}
        for path in list_directories(self._root):
            if path not in known and self._is_for_us(path) and (box := Box.adopt(path)) is not None:
                self.boxes.append(box)

    def peek(self, events: int, size: int) -> tuple[Box, list[Record]] | None:
        """The oldest records of the next box; one that is empty is let go of."""
        while self.boxes:
            # Another thread may look at `waiting` at any time, so no box is out of the list while it waits.
            box, *others = self.boxes
            if records := box.peek(events, size):
                self.boxes = [*others, box]
                return box, records
            self.boxes = others
            box.close()
        return None

    def _is_for_us(self, path: Path) -> bool:
        if self._address is None:
            return False
        meant = read_owner(path).address
        return self._adopt_all or meant is None or meant == self._address
