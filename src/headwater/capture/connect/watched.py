"""One connector while it is watched: what was last heard of it."""

from __future__ import annotations

from dataclasses import dataclass, field

from headwater.capture.connect.answers import Fault
from headwater.capture.connect.flow import Flow, Pulse
from headwater.capture.connect.life_cycle import Run, Seen
from headwater.capture.connect.status import Status


@dataclass(slots=True)
class Watched:
    """A connector. The thread that watches its cluster changes it; others may look at any time."""

    name: str
    # As they came, so that a connector about which nothing is new costs two comparisons.
    status_text: bytes = b""
    info_text: bytes = b""
    config: dict[str, str] = field(default_factory=dict)
    status: Status = field(default_factory=Status)
    fingerprint: str = ""
    job: str = ""
    run: Run | None = None
    # The topics that the worker says it has used; when it was asked, and which list of topics the brokers had then.
    used: tuple[str, ...] = ()
    used_at: float = float("-inf")
    used_among: int = -1
    topics: tuple[str, ...] = ()
    lookups: int = 0
    # What was last sent of its datasets, as a hash, and of its flow.
    sent: bytes = b""
    flow_sent: Flow | None = None
    flow_sent_at: float = float("-inf")
    pulse: Pulse | None = None
    # What shows that it does nothing, and the worker's check of a source that is quiet, which another thread asks for.
    stalled: str = ""
    faults: tuple[Fault, ...] = ()
    faults_at: float = float("-inf")

    @property
    def seen(self) -> Seen:
        """How it is now."""
        return Seen(self.status, self.fingerprint, self.job, self.stalled)

    @property
    def is_open(self) -> bool:
        """Whether it has a run that goes on."""
        return self.run is not None and not self.run.ended

    def begin(self) -> None:
        """Forget what belongs to the run before."""
        self.sent, self.lookups, self.used_at = b"", 0, float("-inf")
        self.flow_sent, self.flow_sent_at = None, float("-inf")
        self.pulse, self.stalled, self.faults, self.faults_at = None, "", (), float("-inf")
