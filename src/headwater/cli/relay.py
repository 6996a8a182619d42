"""`headwater relay`: durable delivery in front of any OpenLineage producer."""

from __future__ import annotations

import logging
import os
import signal
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

import msgspec
import typer

from headwater.cli.output import print_json, safe, stdout, table
from headwater.errors import HeadwaterError, SettingError

if TYPE_CHECKING:
    from headwater.capture.destination import Destination
    from headwater.capture.emitter import Emitter
    from headwater.capture.status import OutboxStatus

MB = 1024 * 1024
LOOPBACK = ("127.0.0.1", "localhost", "::1")


def relay(
    to: Annotated[
        str | None,
        typer.Option("--to", help="Address of the backend, such as http://lineage:5000. Also OPENLINEAGE_URL."),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port to listen on; 0 picks a free one.")
    ] = 5005,
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    outbox: Annotated[
        str | None,
        typer.Option("--outbox", help="Directory of the outbox. Also HEADWATER_OUTBOX.", show_default=False),
    ] = None,
    status: Annotated[bool, typer.Option("--status", help="Say what waits in the outbox, and exit.")] = False,
    drain: Annotated[bool, typer.Option("--drain", help="Send what processes left behind, and exit.")] = False,
    timeout: Annotated[float, typer.Option("--timeout", min=0, help="Seconds that --drain may take.")] = 60.0,
    all: Annotated[
        bool, typer.Option("--all", help="Also send what was meant for other backends, such as a mistyped one.")
    ] = False,
    json: Annotated[bool, typer.Option("--json", help="Print --status as JSON.")] = False,
) -> None:
    """Take OpenLineage events on loopback, answer at once, and deliver them whatever happens to the backend.

    Point any producer at it: OPENLINEAGE_URL=http://127.0.0.1:5005, or spark.openlineage.transport.url. An event is on
    local disk when the producer gets its answer; the backend may be away for as long as the disk has room.

    The key for the backend is OPENLINEAGE_API_KEY, and the size of the outbox HEADWATER_OUTBOX_MB.
    """
    # Imported here, as they are of no use to the other commands and take time.
    from headwater.capture.emitter import Emitter
    from headwater.capture.place import DIRECTORY_VARIABLE, outbox_directory, outbox_limit
    from headwater.capture.status import outbox_status

    env = {**os.environ, **({DIRECTORY_VARIABLE: outbox} if outbox else {})}
    directory = outbox_directory(env)
    if status:
        print_status(outbox_status(directory), as_json=json)
        return
    destination = find_destination(to, env)
    address = urlsplit(destination.url)
    if not drain and port and address.port == port and address.hostname in (host, *LOOPBACK):
        raise SettingError(f"the relay would send to itself at {destination.url}; name the backend with --to")
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    emitter = Emitter(destination, directory, limit=outbox_limit(env), adopt_all=all)
    if drain:
        send_what_is_left(emitter, destination, timeout)
    else:
        run(emitter, destination, host, port)


def find_destination(to: str | None, env: Mapping[str, str]) -> Destination:
    """The backend by --to, else by the settings."""
    from headwater.capture.destination import ENDPOINT, destination_of, read_destination

    if to is not None:
        key = env.get("OPENLINEAGE_API_KEY")
        auth = {"type": "api_key", "apiKey": key} if key else None
        return destination_of(
            {"url": to, "endpoint": env.get("OPENLINEAGE_ENDPOINT") or ENDPOINT, "auth": auth}, "--to"
        )
    found = read_destination(env, Path.cwd())
    if found is None:
        raise SettingError(
            "lineage is switched off by OPENLINEAGE_DISABLED or a noop transport; name a backend with --to"
        )
    return found


def run(emitter: Emitter, destination: Destination, host: str, port: int) -> None:
    """Relay until SIGINT or SIGTERM."""
    from headwater.capture.relay import start_relay

    running = start_relay(emitter, port, host=host)
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    typer.echo(
        f"relay\n"
        f"  listening on  {running.url}\n"
        f"  sends to      {destination.address}\n"
        f"  outbox        {emitter.directory}\n"
        f"  send events   OPENLINEAGE_URL={running.url}\n"
        f"  how it goes   curl {running.url}/health\n"
        f"Stop it with Ctrl-C."
    )
    # A plain wait could not be interrupted by a signal that another thread receives.
    while not ended.wait(0.5):
        pass
    running.close()
    if not emitter.close():
        typer.echo(f"{emitter.stats().waiting} events wait in {emitter.directory}; they are sent at the next start")


def send_what_is_left(emitter: Emitter, destination: Destination, timeout: float) -> None:
    """Send what processes that are gone have left, and say how much; HeadwaterError if some is left still."""
    console = stdout()
    with console.status(f"sending to {destination.address}"):
        done = emitter.flush(timeout, everything=True)
    stats = emitter.stats()
    emitter.close(0)
    console.print(f"sent {stats.sent} events to {destination.address}, {stats.rejected} refused", markup=False)
    if not done:
        raise HeadwaterError(
            f"{stats.waiting} events still wait in {emitter.directory}; "
            f"see that {destination.url} answers, then try again, with a longer --timeout if need be"
        )


def print_status(found: OutboxStatus, *, as_json: bool) -> None:
    """What waits, by process."""
    if as_json:
        print_json(msgspec.json.encode(found))
        return
    console = stdout()
    rows = table("to", "waiting", "MB", "since", "process", numbers=("waiting", "MB"))
    for box in found.boxes:
        process = f"{safe(box.program)} ({box.pid})" if box.live else "gone: sent by the next one, or with --drain"
        rows.add_row(safe(box.to or "not known yet"), str(box.waiting), f"{box.bytes / MB:.1f}", box.since, process)
    console.print(f"outbox {found.directory}", markup=False)
    console.print(rows if found.boxes else "nothing waits")
    console.print(f"{found.rejected} rejected, {found.dropped} dropped", style="dim")
