"""The tail of a box: where records are appended."""

from __future__ import annotations

import errno
import os
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from headwater.capture.position import Segment


@dataclass
class OpenFile:
    """A file being written; `size` counts whole records only."""

    segment: Segment
    descriptor: int
    size: int = 0


class Tail:
    """Appends records to one file after another. Its owner lets one thread in at a time."""

    def __init__(self, directory: Path, segments: list[Segment], segment_bytes: int) -> None:
        self._directory, self._segments, self._segment_bytes = directory, segments, segment_bytes
        self._retired: list[OpenFile] = []
        self.file: OpenFile | None = None
        self.bytes = self.records = 0  # appended so far

    def append(self, record: bytes) -> None:
        """Add a record. OSError if the disk does not take all of it; then a reader finds none of it."""
        file = self.file
        if file is None or (file.size and file.size + len(record) > self._segment_bytes):
            file = self._begin()
        try:
            if os.write(file.descriptor, record) < len(record):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError:
            self._cut(file)
            raise
        except BaseException:
            # An interrupt that came after the bytes were written, but before they were counted.
            if os.fstat(file.descriptor).st_size == file.size + len(record):
                self._count(file, record)
            raise
        self._count(file, record)

    def descriptor(self, segment: Segment) -> int | None:
        """The open descriptor of a file, if it is still open here."""
        files = (self.file, *self._retired)
        return next((file.descriptor for file in files if file is not None and file.segment == segment), None)

    def seal(self) -> None:
        """Close the file; the next record begins another."""
        if self.file is not None:
            self._retired.append(self.file)
            self.file = None

    def sync(self) -> None:
        """Force to disk what was appended before this call; appending may go on meanwhile."""
        file = self.file
        while self._retired:
            retired = self._retired.pop(0)
            file = None if retired is file else file
            try:
                os.fsync(retired.descriptor)
            finally:
                os.close(retired.descriptor)
        if file is not None:
            os.fsync(file.descriptor)
        directory = os.open(self._directory, os.O_RDONLY)
        try:
            os.fsync(directory)
        finally:
            os.close(directory)

    def close(self) -> None:
        """Let go of the files as they are."""
        self.seal()
        while self._retired:
            with suppress(OSError):
                os.close(self._retired.pop().descriptor)

    def _begin(self) -> OpenFile:
        self.seal()
        last = self._segments[-1].born if self._segments else 0
        segment = Segment(max(time.time_ns(), last + 1), 0)
        flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND
        self.file = OpenFile(segment, os.open(self._directory / segment.name, flags, 0o600))
        self._segments.append(segment)
        return self.file

    def _count(self, file: OpenFile, record: bytes) -> None:
        file.size += len(record)
        self.bytes += len(record)
        self.records += 1

    def _cut(self, file: OpenFile) -> None:
        try:
            os.ftruncate(file.descriptor, file.size)
        except OSError:
            self.seal()  # what is torn is then the end of a closed file, where readers pass over it
