"""Whether a running service is still the one that the lab would start."""

import hashlib

import msgspec

from headwater.stack.jars.folders import jars_of
from headwater.stack.lab import ADDRESSES, Lab
from headwater.stack.processes.records import Record
from headwater.stack.service import Service


def fingerprint(lab: Lab, service: Service) -> str:
    """A short text that changes whenever something changes that a service is started with."""
    known = (
        lab.host,
        sorted(lab.ports.items()),
        [lab.external(name) for name in ADDRESSES],
        lab.credentials,
        str(lab.java),
        service.title,
        sorted(artifact.sha256 for artifact in jars_of(service.jars)),
    )
    return hashlib.sha256(msgspec.json.encode(known)).hexdigest()


def is_stale(lab: Lab, service: Service, record: Record | None) -> bool:
    """Whether a service runs that the lab would not start any more, or not like this."""
    if record is None:
        return False
    return lab.external(service.name) is not None or record.fingerprint != fingerprint(lab, service)
