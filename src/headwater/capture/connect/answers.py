"""What a worker answers, and what is wrong when it does not: types alone, so that whoever shows them stays light."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Raw, Struct

from headwater.errors import HeadwaterError


class ConnectError(HeadwaterError):
    """The worker did not do what was asked of it; `status` is that of its answer, None if there was none."""

    def __init__(self, message: str, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class InvalidConnector(ConnectError):
    """The worker finds fault with a connector's settings."""

    def __init__(self, name: str, faults: Sequence[Fault]) -> None:
        lines = [f"  {fault.key}: {message}" for fault in faults for message in fault.messages]
        super().__init__(f"the worker refuses connector {name!r}:\n" + "\n".join(lines), 422)
        self.faults = tuple(faults)


class ConnectorFailed(ConnectError):
    """A connector does not run."""


class Root(Struct, frozen=True):
    """Which worker this is."""

    version: str = ""
    commit: str = ""
    kafka_cluster_id: str = ""


class Plugin(Struct, frozen=True, rename={"name": "class"}):
    """Something that a worker can run."""

    name: str
    type: str = ""
    version: str | None = None


class Fault(Struct, frozen=True):
    """What a worker finds wrong with one setting."""

    key: str
    messages: tuple[str, ...]


class Listed(Struct, frozen=True):
    """A connector in the list of all, not decoded: most of them are as they were the last time."""

    status: Raw
    info: Raw


class Info(Struct, frozen=True):
    """A connector's settings."""

    config: dict[str, str]
