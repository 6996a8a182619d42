"""Methods of PySpark that tell us that somebody stops something, before they do."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import Any

log = logging.getLogger(__name__)


def before(owner: type, name: str, told: Callable[[Any], object]) -> Callable[[], None]:
    """Have `told` called with the object whenever this method is about to be; what comes back takes that away."""
    original = getattr(owner, name)

    @functools.wraps(original)
    def method(self: Any, *arguments: Any, **named: Any) -> Any:
        if active:
            try:
                told(self)
            except Exception:
                log.debug("%s.%s could not be reported", owner.__name__, name, exc_info=True)
        return original(self, *arguments, **named)

    active = [True]
    setattr(owner, name, method)

    def restore() -> None:
        active.clear()
        # Somebody else may have put something around ours meanwhile.
        if getattr(owner, name) is method:
            setattr(owner, name, original)

    return restore
