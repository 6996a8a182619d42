"""How a command of the lab ends when it does not end well."""

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.text import Text

from headwater.cli.output import print_error
from headwater.errors import HeadwaterError

INTERRUPTED = 130


@contextmanager
def told_in_lines() -> Iterator[None]:
    """Print an error that quotes a log line by line, and exit; any other goes the usual way."""
    try:
        yield
    except HeadwaterError as error:
        if "\n" not in str(error):
            raise
        for line in str(error).splitlines():
            print_error(line.expandtabs())
        raise typer.Exit(1) from error


@contextmanager
def ending_with_interrupt(note: str = "") -> Iterator[None]:
    """Exit as a program does that Ctrl-C ended, with a line that says what that means here."""
    try:
        yield
    except KeyboardInterrupt:
        if note:
            Console(stderr=True, highlight=False).print(Text(f"interrupted: {note}", "yellow"))
        raise typer.Exit(INTERRUPTED) from None
