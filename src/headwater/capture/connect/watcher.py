"""Watching one Connect cluster: a look every few seconds, the life cycle of each connector, and what is sent of it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec

from headwater.capture.connect.answers import ConnectError, Info, Listed, Root
from headwater.capture.connect.closer import Closer
from headwater.capture.connect.cluster import Cluster
from headwater.capture.connect.details import Details, Sources
from headwater.capture.connect.journal import Journal, Outgoing, Place
from headwater.capture.connect.life_cycle import Report, Step, fingerprint, is_waiting, step
from headwater.capture.connect.memory import AlreadyWatched
from headwater.capture.connect.reference_smt import job_name
from headwater.capture.connect.status import Status
from headwater.capture.connect.view import ClusterState
from headwater.capture.connect.watched import Watched
from headwater.capture.connect.worker import REFUSALS, Worker
from headwater.capture.run_events import new_run_id
from headwater.settings import hide_password

log = logging.getLogger(__name__)

EVERY_SECONDS = 5.0
ANSWER_SECONDS = 30.0
# A worker that restarts is back by then; later its connectors' runs say that nobody knows how they are.
AWAY_SECONDS = 30.0


class Watcher:
    """Watches one cluster, in a thread of its own or by calls of `poll`."""

    def __init__(
        self,
        cluster: Cluster,
        place: Place,
        namespace: str,
        sources: Sources,
        *,
        every: float = EVERY_SECONDS,
        clock: Callable[[], float] = time.time,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self.cluster = cluster
        self.state: ClusterState = "unreachable"
        self.detail, self.root = "it was not asked yet", Root()
        self.connectors: dict[str, Watched] = {}
        self._every, self._clock, self._monotonic = every, clock, monotonic
        self._shown = hide_password(cluster.url)
        self._journal = Journal(cluster, place, namespace)
        self._worker = Worker(cluster.url, patience=0, timeout=ANSWER_SECONDS)
        self._details = Details(self._worker, sources, monotonic)
        self._closer = Closer(self._details, self, every, monotonic)
        self._restarted: set[str] = set()
        self._away_since: float | None = None
        self._away_told = False
        self._said: tuple[ClusterState, int | None] | None = None
        self._odd: dict[str, str] = {}
        self._ending, self._wake = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"connect {cluster.name}", daemon=True)

    @property
    def namespace(self) -> str:
        """The namespace of this cluster's jobs."""
        return self._journal.namespace

    # -- the thread --------------------------------------------------------------------------------

    def start(self) -> None:
        """Watch in the background from now on."""
        self._thread.start()

    def close(self) -> None:
        """Stop watching. Runs stay as they are: if no agent comes back, their leases run out."""
        self._ending.set()
        self._wake.set()
        if self._thread.ident is not None:
            self._thread.join()
        self._journal.__exit__()
        self._details.__exit__()
        self._worker.__exit__()

    def wake(self) -> None:
        """Look at once, because something was changed."""
        self._wake.set()

    def note_restart(self, connector: str) -> None:
        """A connector was started again through us, which its state may be too quick to show."""
        self._restarted.add(connector)
        self.wake()

    def _run(self) -> None:
        while not self._ending.is_set():
            began = self._monotonic()
            try:
                self.poll()
            except Exception:
                # Whatever it is, the next look may be better, and the other clusters are watched on.
                log.exception("looking at Connect cluster %s failed; trying again", self.cluster.name)
            self._wake.wait(max(0.5, self._every - (self._monotonic() - began)))
            self._wake.clear()

    # -- a look ------------------------------------------------------------------------------------

    def poll(self) -> None:
        """One look at everything."""
        try:
            self._journal.open()
            if self._away_since is not None or not self.root.version:
                self._greet()
            listed = self._worker.look()
            gone = self._gone(listed)
        except (AlreadyWatched, OSError) as error:
            self._tell_away("unreachable", str(error))
            return
        except ConnectError as error:
            self._away(error)
            return
        returned = self._back()
        outgoing = [each for name, entry in listed.items() for each in self._update(name, entry, returned)]
        outgoing += [each for name in gone for each in self._forget(name)]
        self._journal.send(outgoing)
        number = sum(watched.is_open for watched in self.connectors.values())
        self._closer.look(self.connectors, number)
        self._journal.set_lease(number)

    def _greet(self) -> None:
        """Ask which worker this is, and recall what is known of its connectors."""
        self.root = self._worker.root()
        known = self._journal.greet(self.root.kafka_cluster_id, self.root.version)
        self._details.kafka_cluster_id = self.root.kafka_cluster_id
        for name in self.connectors.keys() - known.keys():
            self._drop(name)
        for name, run in known.items():
            self.connectors.setdefault(name, Watched(name, job=run.job, run=run))

    def _gone(self, listed: dict[str, Listed]) -> list[str]:
        """Connectors that are no more: a worker that has just started lists none, and answers this only when it can."""
        missing = [name for name in self.connectors if name not in listed]
        if not missing:
            return []
        there = set(self._worker.names())
        return [name for name in missing if name not in there]

    def _update(self, name: str, entry: Listed, returned: bool) -> list[Outgoing]:
        """What is to be sent of a connector, if anything."""
        watched = self.connectors.get(name) or Watched(name)
        texts = bytes(entry.status), bytes(entry.info)
        again = returned or name in self._journal.again or name in self._restarted
        waiting = watched.run is not None and is_waiting(watched.run)
        if texts == (watched.status_text, watched.info_text) and not again and not waiting:
            return []
        # Of an agent before this one: whoever thinks that it is lost hears of it again.
        again = again or (not watched.info_text and watched.run is not None)
        if not self._read(watched, *texts):
            return []
        self.connectors[name] = watched
        restarted = name in self._restarted
        self._journal.again.discard(name)
        self._restarted.discard(name)
        found = step(watched.run, watched.seen, self._now(), new_run_id, returned=again, restarted=restarted)
        return self._take(watched, found)

    def _read(self, watched: Watched, status_text: bytes, info_text: bytes) -> bool:
        try:
            config = msgspec.json.decode(info_text, type=Info).config
            watched.status = msgspec.json.decode(status_text, type=Status)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            if self._odd.get(watched.name) != str(error):
                log.warning("what %s says of connector %r cannot be read: %s", self._shown, watched.name, error)
            self._odd[watched.name] = str(error)
            return False
        if watched.info_text != info_text:
            watched.config, watched.fingerprint = config, fingerprint(config)
            watched.job = job_name(config) or watched.name
        watched.status_text, watched.info_text = status_text, info_text
        return True

    def _take(self, watched: Watched, taken: Step) -> list[Outgoing]:
        """Make a step what is known, and its reports events."""
        before, watched.run = watched.run, taken.run
        if watched.run is not None and (before is None or before.id != watched.run.id):
            watched.begin()
        if watched.is_open and taken.reports:
            self._closer.add(watched.name)
        self._journal.remember(watched.name, watched.run)
        return [self._journal.outgoing(watched, report) for report in taken.reports]

    def _forget(self, name: str) -> list[Outgoing]:
        """The end of a connector that is gone."""
        watched = self.connectors[name]
        outgoing = self._take(watched, step(watched.run, None, self._now(), new_run_id))
        self._drop(name)
        return outgoing

    def _drop(self, name: str) -> None:
        """Know nothing more of a connector."""
        del self.connectors[name]
        self._closer.drop(name)
        self._journal.remember(name, None)

    # -- what a closer look finds --------------------------------------------------------------------

    def tell(self, watched: Watched, **found: Any) -> None:
        """Send what is new of a connector: inputs and outputs, or a flow."""
        if watched.run is not None:
            report = Report("RUNNING", watched.run, self._now(), watched.seen)
            self._journal.send([self._journal.outgoing(watched, report, **found)])

    def reconsider(self, watched: Watched) -> None:
        """Report that a connector does nothing, or does something again."""
        self._journal.send(self._take(watched, step(watched.run, watched.seen, self._now(), new_run_id)))

    # -- a worker that does not answer ---------------------------------------------------------------

    def _away(self, error: ConnectError) -> None:
        """Say so, and after a while in each run that was open: nobody knows how it is."""
        now = self._monotonic()
        self._away_since = self._away_since or now
        refused = error.status in REFUSALS
        self._tell_away("refused" if refused else "unreachable", str(error), error.status)
        if now - self._away_since >= AWAY_SECONDS and not self._away_told:
            self._away_told = True
            reason = f"Connect {'refuses us' if refused else 'does not answer'} at {self._shown}"
            self._journal.send(
                self._journal.outgoing(watched, Report("RUNNING", watched.run, self._now(), None, reason))
                for watched in self.connectors.values()
                if watched.run is not None and watched.is_open
            )

    def _back(self) -> bool:
        """Whether runs were said to be unknown, and are known again."""
        told, self._away_since, self._away_told = self._away_told, None, False
        if self.state != "ok":
            self.state, self.detail, self._said = "ok", "", None
            log.info("watching Connect %s at %s", self.root.version, self._shown)
        return told

    def _tell_away(self, state: ClusterState, detail: str, status: int | None = None) -> None:
        """Note why nothing is seen, and say it when it is another reason than before."""
        if self._said != (state, status):
            log.warning("%s; the runs of its connectors stay as they are until it answers", detail)
        self._said = (state, status)
        self.state, self.detail = state, detail

    def _now(self) -> int:
        return int(self._clock() * 1_000_000)
