"""How a streaming query ended, from what Spark says of it."""

from __future__ import annotations

import re

from headwater.capture.ending import COMPLETED, Ending

STOPPED = Ending("ABORT")
# A job that was cancelled because somebody wanted to leave: Ctrl-C, or the session stopped under the query.
CANCELLED = re.compile(
    r"cancelled as part of cancellation of all jobs|SparkContext (?:was|has been) (?:shut ?down|stopped)"
    r"|Cannot call methods on a stopped SparkContext|cancelled because SparkContext was shut down",
    re.IGNORECASE,
)
SECRET = re.compile(
    r"""((?:password|passwd|secret|token|api[._-]?key|access[._-]?key(?:[._-]?id)?|sasl\.jaas\.config)["']?\s*[=:]\s*)"""
    r"""("[^"]*"|'[^']*'|[^\s,;&)]+)""",
    re.IGNORECASE,
)
LOGIN = re.compile(r"(\w+://[^/\s:@]+:)[^@\s/]+@")
LONGEST_STACK = 32_000


def query_ending(error: str | None, *, ends_itself: bool, asked: bool) -> Ending:
    """COMPLETE if a trigger that ends by itself did, ABORT if somebody stopped the query, FAIL if it broke.

    `error` is the exception as Spark prints it; `asked` says that stop() was called or the session is being stopped.
    """
    if error is None:
        return COMPLETED if ends_itself and not asked else STOPPED
    if asked or CANCELLED.search(error):
        return STOPPED
    shown = without_secrets(error)
    return Ending("FAIL", message_of(shown), shown[:LONGEST_STACK])


def message_of(error: str) -> str:
    """What went wrong in one line: of an exception in Python its own words, else the first line."""
    lines = [line for line in error.splitlines() if line.strip()]
    if "Traceback (most recent call last)" in error:
        start = next(n for n, line in enumerate(lines) if "Traceback (most recent call last)" in line)
        raised = next((line for line in lines[start + 1 :] if not line.startswith((" ", "\t"))), "")
        if raised.strip():
            return raised.strip()
    return lines[0].strip() if lines else "it failed and did not say why"


def without_secrets(text: str) -> str:
    """The text without passwords and keys."""
    return LOGIN.sub(r"\1***@", SECRET.sub(r"\1***", text))
