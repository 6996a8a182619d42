"""`make jars`: resolve the sets of sets.py again and write jars.lock, with the Ivy that comes among pyspark's jars.

What is downloaded on the way goes into the user's cache, where the lab finds it.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.request import urlopen
from xml.sax.saxutils import quoteattr

from headwater.artifacts import repository, user_cache
from headwater.errors import HeadwaterError
from headwater.stack.jars.sets import LOCK, SETS, Coordinate, JarSet, pyspark_jars
from headwater.stack.java import find_java

HEAD = """\
# Written by `make jars` from the sets in jars.py; do not edit.
# set  group:artifact:version[:extension[:classifier]]  bytes  sha256
"""
LAYOUT = "[organisation]/[module]/[revision]/[artifact]-[revision](-[classifier]).[ext]"


def main(names: list[str]) -> None:
    """Resolve the named sets, or all, and write the lock; the lines of the other sets stay."""
    file = Path(__file__).with_name(LOCK)
    kept = file.read_text("utf-8").splitlines() if file.exists() else []
    lines = {line for line in kept if line.partition(" ")[0] in SETS.keys() - set(names or SETS)}
    for name in names or SETS:
        found = [lock_line(name, coordinate, file) for coordinate, file in resolve(name, SETS[name], os.environ)]
        lines.update(found)
        print(f"{name}: {len(found)} files, {total(found):.1f} MB", flush=True)
    file.write_text(HEAD + "".join(f"{line}\n" for line in sorted(lines)), "utf-8")
    # A file that two sets share is one download.
    print(f"in all: {total({line.partition(' ')[2] for line in lines}):.1f} MB")


def lock_line(name: str, coordinate: Coordinate, file: Path) -> str:
    """The line that pins a file of a set."""
    return f"{name} {coordinate} {file.stat().st_size} {hashlib.sha256(file.read_bytes()).hexdigest()}"


def total(lines: set[str] | list[str]) -> float:
    """The megabytes of the files in lines of a lock."""
    return sum(int(line.split()[-2]) for line in lines) / 1e6


def resolve(name: str, jars: JarSet, env: Mapping[str, str]) -> Iterator[tuple[Coordinate, Path]]:
    """Bring every file of a set into the cache, and yield where each is."""
    source = repository(env)
    cache = user_cache(env)
    roots = [Coordinate.parse(root) for root in jars.roots]
    with tempfile.TemporaryDirectory(prefix="headwater-jars-") as folder:
        place = Path(folder)
        for root in roots:
            # A packed program has all it needs inside, and the description of its dependencies need not resolve.
            if root.extension != "jar":
                download(f"{source}/{root.path}", place / "program")
                yield root, move(place / "program", cache / "jars" / root.path)
        resolved = [root for root in roots if root.extension == "jar"]
        if resolved:
            run_ivy(place, ivy_settings(source, cache / "ivy"), ivy_module(name, resolved, jars.without), env)
        for file in sorted(place.glob("files/*/*/*/*")):
            coordinate = coordinate_of(file.relative_to(place / "files"))
            yield coordinate, move(file, cache / "jars" / coordinate.path)


def download(url: str, target: Path) -> None:
    """Fetch a file and compare it with the checksum that the repository gives."""
    with urlopen(url) as answer, target.open("wb") as file:
        shutil.copyfileobj(answer, file)
    with urlopen(f"{url}.sha1") as answer:
        wanted = answer.read().decode("ascii").split()[0]
    if hashlib.sha1(target.read_bytes()).hexdigest() != wanted:
        raise HeadwaterError(f"{url} arrived damaged: its SHA-1 is not {wanted}; try again")


def move(file: Path, target: Path) -> Path:
    """Put a file into the cache, unless it is there."""
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        # The copy has another name until it is whole.
        part = target.with_name(f"{target.name}.{os.getpid()}.part")
        shutil.copyfile(file, part)
        part.replace(target)
    return target


def run_ivy(place: Path, settings: str, module: str, env: Mapping[str, str]) -> None:
    """Let Ivy resolve a module into the folder `files`, each file in its place of LAYOUT."""
    (place / "settings.xml").write_text(settings, "utf-8")
    (place / "ivy.xml").write_text(module, "utf-8")
    command: list[str | Path] = [
        find_java(env),
        "-cp",
        pyspark_jars() / "*",
        "org.apache.ivy.Main",
        "-confs",
        "default",
    ]
    command += ["-settings", place / "settings.xml", "-ivy", place / "ivy.xml", "-types", "jar", "bundle"]
    command += ["-retrieve", place / "files" / LAYOUT]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise HeadwaterError(f"Ivy could not resolve the jars:\n{done.stdout.decode(errors='replace')[-4000:]}")


def ivy_settings(source: str, cache: Path) -> str:
    """Where Ivy looks, and where it keeps what it read."""
    maven = element("ibiblio", {"name": "maven", "m2compatible": "true", "root": source})
    caches = element("caches", {"defaultCacheDir": str(cache)})
    return f'<ivysettings><settings defaultResolver="maven"/>{caches}<resolvers>{maven}</resolvers></ivysettings>'


def ivy_module(name: str, roots: list[Coordinate], without: tuple[str, ...]) -> str:
    """A set in Ivy's language. The versions that we ask for win over those that a dependency asks for."""
    wanted = [
        {"org": root.group, "name": root.artifact, "rev": root.version, "conf": "default->default", "force": "true"}
        for root in roots
    ]
    left_out = [dict(zip(("org", "module"), pattern.split(":"), strict=True)) for pattern in without]
    dependencies = "".join(element("dependency", attributes) for attributes in wanted)
    dependencies += "".join(element("exclude", {**attributes, "matcher": "glob"}) for attributes in left_out)
    return (
        f'<ivy-module version="2.0"><info organisation="headwater" module={quoteattr(name)}/>'
        f'<configurations><conf name="default"/></configurations>'
        f"<dependencies>{dependencies}</dependencies></ivy-module>"
    )


def element(tag: str, attributes: Mapping[str, str]) -> str:
    """One XML element with nothing inside."""
    return f"<{tag} {' '.join(f'{name}={quoteattr(value)}' for name, value in attributes.items())}/>"


def coordinate_of(file: Path) -> Coordinate:
    """The coordinate of a file that Ivy placed as LAYOUT says."""
    group, artifact, version, name = file.parts
    classifier, _, extension = name.removeprefix(f"{artifact}-{version}").partition(".")
    return Coordinate(group, artifact, version, extension, classifier.removeprefix("-"))


if __name__ == "__main__":
    main(sys.argv[1:])
