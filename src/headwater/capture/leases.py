"""Leases: while this process lives the server hears of its runs, and whatever falls silent is marked as lost."""

from __future__ import annotations

import logging
import os
import threading
import weakref
from collections.abc import Callable, Iterable, Mapping
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

import msgspec

from headwater.capture.backend import connect
from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter
from headwater.errors import SettingError
from headwater.openlineage.events import PRODUCER
from headwater.openlineage.facets import LEASE

log = logging.getLogger(__name__)

SECONDS_VARIABLE = "HEADWATER_LEASE_SECONDS"
DEFAULT_SECONDS, LONGEST_SECONDS = 30, 86_400
# Of a server that knows of no leases, which is any but Headwater's.
UNKNOWN = (404, 405, 501)
NO_SUCH_RUN = b"nothing stored has the id"  # it knows of leases, but not of this run
SCHEMA_URL = f"{PRODUCER}/blob/main/docs/fold.md#lost-runs"


def lease_seconds(env: Mapping[str, str]) -> int:
    """How long a run may be silent before it is given up, by HEADWATER_LEASE_SECONDS."""
    written = env.get(SECONDS_VARIABLE, "").strip()
    if not written:
        return DEFAULT_SECONDS
    if not (written.isascii() and written.isdigit() and 1 <= int(written) <= LONGEST_SECONDS):
        raise SettingError(
            f"{SECONDS_VARIABLE} is {written!r}; expected a whole number of seconds from 1 to {LONGEST_SECONDS}"
        )
    return int(written)


def lease_facet(seconds: int) -> dict[str, Any]:
    """The run facet by which a run promises to be heard of again; it belongs on every event but the last."""
    return {LEASE: {"_producer": PRODUCER, "_schemaURL": SCHEMA_URL, "seconds": seconds}}


def leases_of(emitter: Emitter) -> Leases:
    """The leases of the runs that are reported through an emitter."""
    with _lock:
        if emitter not in _leases:
            alive = weakref.ref(emitter)
            _leases[emitter] = Leases(emitter.destination, lambda: _is_behind(alive()), _usable_seconds())
        return _leases[emitter]


class Leases:
    """Renews the leases of any number of runs with one thread, which lives as long as there is a run to renew."""

    def __init__(self, destination: Destination | None, behind: Callable[[], bool], seconds: int) -> None:
        self._destination, self._behind, self.seconds = destination, behind, seconds
        self._held: dict[str, Callable[[], object]] = {}
        # A signal handler may end a run while its thread is in here.
        self._lock = threading.RLock()
        self._renewing = False

    def facet(self) -> dict[str, Any]:
        """The facet for the events of a run that is held."""
        return lease_facet(self.seconds)

    def hold(self, run_id: str, again: Callable[[], object]) -> None:
        """Keep a run alive from now on. `again` sends an event of it, when the server has given it up meanwhile."""
        with self._lock:
            self._held[run_id] = again
            if self._destination is not None and not self._renewing:
                self._renewing = True
                threading.Thread(target=self._renew_all, name="headwater-leases", daemon=True).start()

    def release(self, run_id: str) -> None:
        """Let a run go: it has ended."""
        with self._lock:
            self._held.pop(run_id, None)

    def _renew_all(self) -> None:
        pause = threading.Event()
        while not pause.wait(self.seconds / 3):
            with self._lock:
                held = dict(self._held)
                self._renewing = bool(held)
                if not held:
                    return
            try:
                lost = self._renew(held)
            except (OSError, HTTPException):
                continue  # the server is away, and with it whoever would give the runs up
            for run_id in lost:
                try:
                    held[run_id]()
                except Exception:
                    log.debug("a run could not be taken back", exc_info=True)

    def _renew(self, held: Iterable[str]) -> list[str]:
        """Renew each lease once; the runs that an event must speak for."""
        assert self._destination is not None
        place = urlsplit(self._destination.url).path
        body = msgspec.json.encode({"seconds": self.seconds})
        headers = {"Content-Type": "application/json", **self._destination.headers}
        lost = []
        connection = connect(self._destination)
        try:
            for run_id in held:
                connection.request("PUT", f"{place}/api/v2/runs/{run_id}/lease", body, headers)
                answer = connection.getresponse()
                content = answer.read()
                if answer.status in UNKNOWN and NO_SUCH_RUN not in content and not self._behind():
                    # It has all our events and still does not know what is meant: no Headwater, or one behind a relay.
                    self.seconds = LONGEST_SECONDS
                    return list(held)
                if answer.status == 200 and _state(content) == "LOST":
                    lost.append(run_id)
        finally:
            connection.close()
        return lost


def _is_behind(emitter: Emitter | None) -> bool:
    return emitter is not None and emitter.stats().waiting > 0


def _state(content: bytes) -> object:
    try:
        return msgspec.json.decode(content, type=dict[str, Any]).get("state")
    except msgspec.MsgspecError:
        return None


def _usable_seconds() -> int:
    try:
        return lease_seconds(os.environ)
    except SettingError as error:
        log.warning("%s; until then it is %d", error, DEFAULT_SECONDS)
        return DEFAULT_SECONDS


_lock = threading.Lock()
_leases: weakref.WeakKeyDictionary[Emitter, Leases] = weakref.WeakKeyDictionary()
