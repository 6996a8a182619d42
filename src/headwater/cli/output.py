"""How answers look in a terminal: consoles, marks, times, and names made safe to print."""

import sys
import unicodedata
from datetime import UTC, datetime

from rich.console import Console
from rich.table import Table
from rich.text import Text

# A pipe has no width; names must arrive there whole.
PIPE_WIDTH = 1000

MARKS = {
    "RUNNING": ("●", "cyan"),
    "COMPLETED": ("✓", "green"),
    "FAILED": ("✕", "red"),
    "ABORTED": ("■", "yellow"),
    "LOST": ("?", "magenta"),
    "NEW": ("○", "dim"),
}
# OpenLineage names the event (COMPLETE), Marquez the state it leads to (COMPLETED): they mean the same.
SYNONYMS = {"START": "RUNNING", "COMPLETE": "COMPLETED", "FAIL": "FAILED", "ABORT": "ABORTED"}
BIDIRECTIONAL_CONTROLS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def stdout() -> Console:
    """A console for answers, as wide as the terminal, or wide enough for any line when piped."""
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=PIPE_WIDTH)


def print_error(message: str) -> None:
    """Print one line in red, to the stream for errors."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(safe(message), style="red"))


def print_json(answer: bytes) -> None:
    """Write the server's answer to standard output exactly as it came."""
    sys.stdout.flush()
    sys.stdout.buffer.write(answer + b"\n")
    sys.stdout.buffer.flush()


def safe(name: str) -> str:
    """A name from the server, with the characters that could steer a terminal spelled out."""
    return "".join(escape(c) if controls(c) else c for c in name)


def controls(character: str) -> bool:
    """Whether a character does something to a terminal instead of being shown."""
    return unicodedata.category(character) in ("Cc", "Cs", "Zl", "Zp") or character in BIDIRECTIONAL_CONTROLS


def escape(character: str) -> str:
    """A character as Python would write it in a string."""
    return character.encode("unicode_escape").decode("ascii")


def mark(state: str | None) -> Text:
    """The sign of a run's state, in its colour; a job without a state has never run."""
    sign, style = MARKS.get(state_name(state), ("?", "magenta"))
    return Text(sign, style)


def state_name(state: str | None) -> str:
    """One word for a state, whichever of its two spellings was given."""
    word = (state or "NEW").upper()
    return SYNONYMS.get(word, word)


def when(time: str | None) -> str:
    """A time of the API in UTC, to the second; a time that cannot be read is shown as it came."""
    if not time:
        return ""
    try:
        moment = datetime.fromisoformat(time)
    except ValueError:
        return safe(time)
    moment = moment.astimezone(UTC) if moment.tzinfo else moment
    return moment.strftime("%Y-%m-%d %H:%M:%S")


def lasting(milliseconds: int | None) -> str:
    """A duration in the largest unit that says enough."""
    if milliseconds is None:
        return ""
    seconds = milliseconds / 1000
    if seconds < 59.95:
        return f"{seconds:.1f} s"
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02} min" if hours else f"{minutes} min {seconds:02} s"


def table(*headings: str, numbers: tuple[str, ...] = ()) -> Table:
    """An empty table with these headings, of which some head numbers."""
    new = Table(box=None, header_style="dim", pad_edge=False, padding=(0, 2, 0, 0))
    for heading in headings:
        new.add_column(heading, justify="right" if heading in numbers else "left", overflow="fold")
    return new


def page_note(shown: int, offset: int, total: int, noun: str) -> Text:
    """What part of a list was printed, and how to get the next part."""
    if not shown:
        return Text(f"no {noun}" if not total else f"no {noun} from {offset} on; there are {total}", "dim")
    last = offset + shown
    more = f"; next: --offset {last}" if last < total else ""
    return Text(f"{noun} {offset + 1}-{last} of {total}{more}", "dim")
