"""The folders of jars that services and jobs run on: downloaded when missing, linked from the user's cache."""

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn
from rich.text import Text

from headwater.artifacts import Artifact, download, missing, repository
from headwater.stack.jars.sets import read_lock
from headwater.stack.lab import Lab
from headwater.stack.service import Service

# The set of jars.lock that the pipeline's jobs run on.
JOB_JARS = "spark"


def jar_sets(lab: Lab, services: Iterable[Service]) -> set[str]:
    """The sets of jars.lock that services run on, but for the user's own services."""
    return {jar_set for service in services if not lab.external(service.name) for jar_set in service.jars}


def jars_of(sets: Iterable[str]) -> set[Artifact]:
    """The files of some sets; one that is in several counts once."""
    lock = read_lock()
    return {artifact for jar_set in sets for artifact in lock[jar_set]}


def fill_sets(lab: Lab, sets: Iterable[str], console: Console, env: Mapping[str, str]) -> int:
    """Bring sets of jars.lock into their folders; how many bytes were downloaded."""
    sets = list(sets)
    came = download_shown(jars_of(sets), jar_cache(lab), console, env)
    for jar_set in sets:
        link(lab.jar_folder(jar_set), [jar_cache(lab) / artifact.path for artifact in jars_of([jar_set])])
    return came


def jar_cache(lab: Lab) -> Path:
    """Where jars are kept for every lab of this user, laid out as in a Maven repository."""
    return lab.cache / "jars"


def link(folder: Path, files: Sequence[Path]) -> None:
    """Make a folder hold a link to each file, and nothing else."""
    wanted = {file.name: str(file) for file in files}
    there = {entry.name: os.readlink(entry) if entry.is_symlink() else "" for entry in os.scandir(folder)}
    for name in there.keys() - wanted.keys():
        (folder / name).unlink()
    for name, file in wanted.items():
        if there.get(name) != file:
            (folder / name).unlink(missing_ok=True)
            (folder / name).symlink_to(file)


def download_shown(artifacts: Iterable[Artifact], cache: Path, console: Console, env: Mapping[str, str]) -> int:
    """Download what is missing behind one bar for all bytes, or two lines where nothing can be redrawn."""
    wanted = missing(artifacts, cache)
    total = sum(artifact.size for artifact in wanted)
    if not wanted:
        return 0
    what = f"downloading {len(wanted)} files, {total / 1e6:.0f} MB"
    if not console.is_terminal:
        console.print(Text(f"{what}, to {cache}"))
        came = download(wanted, cache, repository(env))
        console.print(Text(f"downloaded {came / 1e6:.0f} MB"))
        return came
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        task = progress.add_task(what, total=total)
        return download(wanted, cache, repository(env), lambda count: progress.advance(task, count))
