"""`headwater lab pipeline` as a person runs it: a process of its own, with nothing running before and after."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil

from headwater.stack.lab import open_lab
from headwater.stack.processes.marks import marked

COMMAND = (str(Path(sys.executable).with_name("headwater")),)


@contextmanager
def brought_down(home: Path) -> Iterator[Path]:
    """Where a lab is to be, of which nothing is left running at the end."""
    try:
        yield home
    finally:
        subprocess.run([*COMMAND, "lab", "down", "--home", home], check=True, capture_output=True)


def left(home: Path) -> list[psutil.Process]:
    """The lab's processes."""
    return [process for process, _, _ in marked(open_lab(os.environ, home.parent, home=home))]


def pipeline(home: Path, *arguments: str) -> "subprocess.Popen[str]":
    """The command, running."""
    command = [*COMMAND, "lab", "pipeline", "--home", str(home), *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=home.parent)


def run_once(home: Path) -> dict[str, Any]:
    """Run the pipeline over 400 more orders, which must succeed, and return what it says."""
    process = pipeline(home, "--once", "--orders", "400", "--json")
    said, told = process.communicate()
    assert process.returncode == 0, told
    answer: dict[str, Any] = json.loads(said)
    return answer
