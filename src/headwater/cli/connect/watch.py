"""`headwater connect watch`: the Kafka Connect agent as a command."""

from __future__ import annotations

import logging
import os
import signal
import threading
from typing import Annotated

import typer

from headwater.cli.connect.options import DEFAULT_URL, Connect, settings_with
from headwater.cli.relay import find_destination


def watch(
    connect: Connect = None,
    registry: Annotated[
        str | None,
        typer.Option(
            "--registry",
            help="Schema registry, if the connectors' settings do not tell it. HEADWATER_REGISTRY may have a password.",
        ),
    ] = None,
    bootstrap: Annotated[
        str | None, typer.Option("--bootstrap", help="Brokers, for names of topics and for lag. Also KAFKA_BOOTSTRAP.")
    ] = None,
    namespace: Annotated[
        str | None, typer.Option("--namespace", help="Namespace of the jobs. Also OPENLINEAGE_NAMESPACE.")
    ] = None,
    to: Annotated[str | None, typer.Option("--to", help="Address of the lineage server. Also OPENLINEAGE_URL.")] = None,
) -> None:
    """Report every connector as a lineage job: state, datasets, schemas, columns and flow, until Ctrl-C.

    Nothing is added to the connectors. What is known of their runs is kept beside the outbox, so that an agent
    which starts again goes on with the same runs.
    """
    from headwater.capture.connect.agent import open_agent
    from headwater.capture.emitter import Emitter
    from headwater.capture.place import outbox_directory, outbox_limit

    env = os.environ
    settings = settings_with(connect, registry=registry, bootstrap=bootstrap)
    destination = find_destination(to, env)
    logging.basicConfig(level=settings.log_level.upper(), format="%(asctime)s %(levelname)-7s %(name)s: %(message)s")
    logging.getLogger("httpx").setLevel(logging.WARNING)  # it says every request
    emitter = Emitter(destination, outbox_directory(env), limit=outbox_limit(env))
    agent = open_agent(
        (settings.connect or DEFAULT_URL).split(","),
        namespace=namespace or "",
        registry=settings.registry,
        bootstrap=settings.bootstrap,
        emitter=emitter,
    )
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    with agent:
        for cluster in agent.clusters():
            typer.echo(f"watching {cluster.url}, sending to {destination.address}; stop it with Ctrl-C")
        # A plain wait could not be interrupted by a signal that another thread receives.
        while not ended.wait(0.5):
            pass
    emitter.close()
