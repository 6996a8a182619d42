"""Python processes for tests that kill, fork or confine them."""

import subprocess
import sys
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent


def command(code: str, *arguments: object) -> list[str]:
    """How to run some lines of Python that can import the tests' modules; `sys.argv[1:]` has the arguments."""
    return [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]


@contextmanager
def running(code: str, *arguments: object, within: Sequence[str] = ()) -> Iterator[subprocess.Popen[str]]:
    """A process that is killed at the end if it has not ended by then."""
    pipe = subprocess.PIPE
    process = subprocess.Popen([*within, *command(code, *arguments)], cwd=ROOT, stdout=pipe, stderr=pipe, text=True)
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def finished(code: str, *arguments: object, within: Sequence[str] = (), timeout: float = 60) -> tuple[str, str]:
    """What a process that must succeed printed and logged."""
    done = subprocess.run(
        [*within, *command(code, *arguments)], cwd=ROOT, capture_output=True, text=True, timeout=timeout, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr
