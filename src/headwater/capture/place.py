"""Where the outbox is, and how large it may become."""

import os
import tempfile
from collections.abc import Mapping
from pathlib import Path

from headwater.errors import SettingError

MB = 1024 * 1024
DEFAULT_LIMIT = 1024 * MB
DIRECTORY_VARIABLE, LIMIT_VARIABLE = "HEADWATER_OUTBOX", "HEADWATER_OUTBOX_MB"


def outbox_directory(env: Mapping[str, str]) -> Path:
    """The directory that HEADWATER_OUTBOX names, else one below XDG_STATE_HOME or the home directory."""
    if named := env.get(DIRECTORY_VARIABLE):
        return Path(named).expanduser().absolute()
    if (state := env.get("XDG_STATE_HOME", "")).startswith("/"):
        return Path(state) / "headwater" / "outbox"
    try:
        home = Path(env.get("HOME") or Path.home())
    except RuntimeError:  # a container may run as a user who has none
        return Path(tempfile.gettempdir()) / f"headwater-{os.getuid()}" / "outbox"
    return home / ".local" / "state" / "headwater" / "outbox"


def outbox_limit(env: Mapping[str, str]) -> int:
    """Bytes that all files of the outbox may have together, by HEADWATER_OUTBOX_MB."""
    written = env.get(LIMIT_VARIABLE, "").strip()
    if not written:
        return DEFAULT_LIMIT
    if not written.isascii() or not written.isdigit() or int(written) < 1:
        raise SettingError(f"{LIMIT_VARIABLE} is {written!r}; expected a whole number of MB, at least 1")
    return int(written) * MB
