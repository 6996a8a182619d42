"""Whether the services that a job needs are well: better said at once than by a time-out inside the job."""

from collections.abc import Sequence

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.pipeline.submit import Program
from headwater.stack.service import Service
from headwater.stack.supervisor.board import State
from headwater.stack.supervisor.status import service_statuses


def require_healthy(lab: Lab, services: Sequence[Service], job: Program) -> None:
    """Raise HeadwaterError when a service that the job needs is not healthy."""
    statuses = service_statuses(lab, [service for service in services if service.name in job.needs])
    unwell = [status for status in statuses if status.state not in (State.HEALTHY, State.YOURS)]
    if unwell:
        told = ", ".join(f"{status.name} is {status.state}" for status in unwell)
        names = " ".join(job.needs)
        raise HeadwaterError(f"{job.name} needs services that are not healthy: {told}; headwater lab up {names}")
