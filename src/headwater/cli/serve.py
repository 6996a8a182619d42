"""`headwater serve`: start the server."""

import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headwater.errors import HeadwaterError
from headwater.settings import CONFIG_FILE, CONFIG_VARIABLE, SETTINGS, Settings, load_settings

if TYPE_CHECKING:
    from headwater.server.http import Route


def option(name: str) -> Any:
    """The flag of a setting, described as the list of settings describes it."""
    setting = next(setting for setting in SETTINGS if setting.name == name)
    help = f"{setting.help[0].upper()}{setting.help[1:]}. Also {setting.variable}."
    return typer.Option(f"--{name.replace('_', '-')}", help=help, show_default=str(setting.default))


@contextmanager
def server_packages() -> Iterator[None]:
    """Around imports that need headwater[server]: says how to install it where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "headwater":
            raise
        raise HeadwaterError(
            f"the server's packages are not installed ({error.name} is missing); "
            f"install them with: pip install 'headwater[server]'"
        ) from error


def serve(
    host: Annotated[str | None, option("host")] = None,
    port: Annotated[int | None, option("port")] = None,
    database: Annotated[str | None, option("database")] = None,
    connect: Annotated[list[str] | None, option("connect")] = None,
    config: Annotated[
        str | None,
        typer.Option("--config", help=f"Settings file. Also {CONFIG_VARIABLE}.", show_default=CONFIG_FILE),
    ] = None,
) -> None:
    """Start the server: it takes OpenLineage events and answers the Marquez and the native API."""
    env = os.environ | ({CONFIG_VARIABLE: config} if config else {})
    given = {"host": host, "port": port, "database": database, "connect": ",".join(connect) if connect else None}
    settings = load_settings(given, env, Path.cwd())
    with server_packages():
        from headwater.server.run import serve as run
    run(settings, beside=lambda url: watching(settings, url, env))


@contextmanager
def watching(settings: Settings, url: str, env: Mapping[str, str]) -> Iterator[Sequence["Route"]]:
    """Watch the Connect clusters that the settings name while the server runs; the routes about their connectors."""
    from headwater.capture.connect.api import connector_routes
    from headwater.capture.connect.roster import Roster

    if not settings.connect:
        yield connector_routes(Roster({}))
        return
    from headwater.capture.connect.agent import open_agent
    from headwater.capture.destination import Destination
    from headwater.capture.emitter import Emitter
    from headwater.capture.place import outbox_directory, outbox_limit

    logging.getLogger("httpx").setLevel(logging.WARNING)  # it says every request
    emitter = Emitter(Destination(url), outbox_directory(env), limit=outbox_limit(env))
    clusters, registry, bootstrap = settings.connect.split(","), settings.registry, settings.bootstrap
    try:
        with open_agent(clusters, registry=registry, bootstrap=bootstrap, emitter=emitter, env=env) as agent:
            yield connector_routes(agent)
    finally:
        emitter.close(0)  # the server is gone by now; what it did not get, it gets at its next start
