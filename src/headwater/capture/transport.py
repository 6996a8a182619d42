"""A transport for OpenLineage's Python client: `type: headwater.capture.transport.OutboxTransport`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attr
from openlineage.client.serde import Serde
from openlineage.client.transport.transport import Config, Transport

from headwater.capture.emitter import open_emitter
from headwater.capture.place import DIRECTORY_VARIABLE

if TYPE_CHECKING:
    from openlineage.client.client import Event


@attr.define
class OutboxConfig(Config):
    """The settings of an http transport, and `outbox` for the directory; without a url, those of the environment."""

    settings: Mapping[str, Any] = attr.field(factory=dict)

    @classmethod
    def from_dict(cls, params: dict[str, Any]) -> OutboxConfig:
        """The settings as the client read them."""
        return cls({name: value for name, value in params.items() if name != "type"})


class OutboxTransport(Transport):
    """Keeps each event on local disk until the backend has it, so that emitting neither waits nor fails."""

    kind = "headwater"
    config_class = OutboxConfig

    def __init__(self, config: OutboxConfig) -> None:
        settings = dict(config.settings)
        outbox = settings.pop("outbox", None)
        env = {**os.environ, **({DIRECTORY_VARIABLE: str(outbox)} if outbox else {})}
        self.emitter = open_emitter(env, Path.cwd(), settings if settings.get("url") else None)

    def emit(self, event: Event) -> bool:
        """Keep an event; True if it will be delivered."""
        return self.emitter.emit(Serde.to_json(event).encode())

    def close(self, timeout: float = -1) -> bool:
        """Wait until all is sent or the time is up; a job is not held up for ever, so -1 means a few seconds."""
        return self.emitter.close(None if timeout < 0 else timeout)
