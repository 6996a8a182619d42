"""`headwater serve`: start the server."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from headwater.errors import HeadwaterError
from headwater.settings import CONFIG_FILE, CONFIG_VARIABLE, SETTINGS, load_settings


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
    config: Annotated[
        str | None,
        typer.Option("--config", help=f"Settings file. Also {CONFIG_VARIABLE}.", show_default=CONFIG_FILE),
    ] = None,
) -> None:
    """Start the server: it takes OpenLineage events and answers the Marquez and the native API."""
    env = os.environ | ({CONFIG_VARIABLE: config} if config else {})
    settings = load_settings({"host": host, "port": port, "database": database}, env, Path.cwd())
    with server_packages():
        from headwater.server.run import serve as run
    run(settings)
