"""What the lab's commands have in common: which lab is meant, and which of its services."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.stack.lab import Lab


@contextmanager
def lab_packages() -> Iterator[None]:
    """Around imports that need headwater[lab]: says how to install it where it is missing."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "headwater":
            raise
        raise HeadwaterError(
            f"the lab's packages are not installed ({error.name} is missing); "
            f"install them with: pip install 'headwater[lab]'"
        ) from error


def complete_service(incomplete: str) -> list[str]:
    """The services whose names begin so, for the shell."""
    try:
        from headwater.stack.services import SERVICES
    except ImportError:
        return []
    return [service.name for service in SERVICES if service.name.startswith(incomplete)]


Home = Annotated[
    Path | None,
    typer.Option("--home", help="Folder of the lab. Also HEADWATER_LAB_HOME.", show_default=".lab", file_okay=False),
]
Config = Annotated[
    Path | None,
    typer.Option("--config", help="Settings file. Also HEADWATER_LAB_CONFIG.", show_default="lab.toml"),
]
Names = Annotated[
    list[str] | None,
    typer.Argument(help="Services; all of them if none is named.", autocompletion=complete_service, metavar="SERVICE"),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def open_lab(home: Path | None, config: Path | None, *, make: bool = False) -> "Lab":
    """The lab that is meant; made if it is not there and that is wanted."""
    with lab_packages():
        from headwater.stack.lab import open_lab as find
    return find(os.environ, Path.cwd(), home=home, config=config, make=make)
