"""Processes that outlive the command that started them: started apart with a log file, and ended for good."""

import os
import pwd
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

import psutil

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab
from headwater.stack.processes.children import look_after
from headwater.stack.processes.logs import make_room
from headwater.stack.processes.marks import family, mark
from headwater.stack.processes.records import Record, created, ending, gone, keep
from headwater.stack.service import Command

# What a process takes over from the person's environment; the rest could change how a service behaves.
INHERITED = ("PATH", "HOME", "USER", "LOGNAME", "LANG", "TZ", "TMPDIR", "SSL_CERT_FILE", "SSL_CERT_DIR")
INHERITED_ENDS = ("_proxy", "_PROXY")
INHERITED_STARTS = ("LC_",)

PATIENCE = 10.0
TICK = 0.02


def start(lab: Lab, role: str, command: Command, fingerprint: str = "") -> Record:
    """Start a process in its own session, with its log file, and record it."""
    name = role.partition(":")[2]
    log = lab.log(name)
    make_room(log)
    with open(log, "ab", opener=private_opener) as output:
        log_start = output.tell()
        process = spawn(lab, role, command, stdout=output, stderr=subprocess.STDOUT)
    # The process is meant to outlive this one: it is watched by its record, and Popen need not warn that it still runs.
    process.returncode = 0
    look_after(process.pid)
    record = Record(
        role=role, pid=process.pid, created=created(process.pid), log_start=log_start, fingerprint=fingerprint
    )
    keep(lab, record)
    return record


def run_tool(lab: Lab, name: str, command: Command, timeout: float = 60.0) -> str:
    """Run a short command of a service's preparation to its end and return what it printed."""
    process = spawn(lab, f"tool:{name}", command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        printed = process.communicate(timeout=timeout)[0].decode(errors="replace")
    except BaseException as error:
        kill_group(process.pid)
        process.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise HeadwaterError(f"{name} did not finish within {timeout:.0f} s, and was ended") from error
        raise
    if process.returncode != 0:
        end = "\n".join(printed.splitlines()[-20:])
        raise HeadwaterError(f"{name} {ending(process.returncode)}; it printed:\n{end}")
    return printed


def spawn(lab: Lab, role: str, command: Command, **streams: Any) -> "subprocess.Popen[bytes]":
    """Start a process of the lab, marked as such, in a session of its own."""
    try:
        return subprocess.Popen(
            command.argv,
            env={**inherited(os.environ), **command.env, **mark(lab.home, role)},
            cwd=command.cwd or lab.home,
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            **streams,
            **ownership(command.account),
        )
    except OSError as error:
        raise HeadwaterError(f"cannot start {role.partition(':')[2]}: {error}") from error


def inherited(env: Mapping[str, str]) -> dict[str, str]:
    """The part of an environment that services take over."""
    return {
        name: value
        for name, value in env.items()
        if name in INHERITED or name.startswith(INHERITED_STARTS) or name.endswith(INHERITED_ENDS)
    }


def ownership(account: str | None) -> dict[str, Any]:
    """The subprocess arguments that give up root for an account, if we have root to give up."""
    if account is None or os.geteuid() != 0:
        return {}
    user = pwd.getpwnam(account)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def private_opener(path: str, flags: int) -> int:
    """Open a file that, if new, only its owner can read."""
    return os.open(path, flags, 0o600)


def stop(process: psutil.Process, stop_signal: signal.Signals = signal.SIGTERM, patience: float = PATIENCE) -> bool:
    """End a process with its group and descendants, by force if it takes too long; whether it went by itself."""
    members = family(process)
    send(process, stop_signal)
    left = wait_gone(members, patience)
    for member in left:
        with suppress(psutil.Error):
            member.kill()
    wait_gone(left, PATIENCE)
    return not left


def send(process: psutil.Process, stop_signal: signal.Signals) -> None:
    """Send a signal to the process and its group, if it leads one and is still the same process."""
    with suppress(psutil.Error, ProcessLookupError):
        if not process.is_running():
            return
        leads = os.getpgid(process.pid) == process.pid
        # A process that was suspended takes a signal only when it goes on.
        for number in (stop_signal, signal.SIGCONT):
            if leads:
                os.killpg(process.pid, number)
            else:
                process.send_signal(number)


def kill_group(pid: int) -> None:
    """End the group that a child of ours leads, at once."""
    with suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def wait_gone(processes: Iterable[psutil.Process], patience: float) -> list[psutil.Process]:
    """Wait until all are gone, and return those that are not when patience runs out."""
    deadline = time.monotonic() + patience
    left = [process for process in processes if not gone(process)]
    while left and time.monotonic() < deadline:
        time.sleep(TICK)
        left = [process for process in left if not gone(process)]
    return left
