"""The jar of the OpenLineage agent that fits a Spark: pinned here, and fetched once for each user."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from headwater.errors import HeadwaterError

if TYPE_CHECKING:
    from headwater.artifacts import Artifact

VERSION = "1.53.0"
# Size and SHA-256 of the jar for each Scala that a Spark is built with.
PINNED: Mapping[str, tuple[int, str]] = {
    "2.12": (43_037_167, "9fe28ee2e5b2cb535cd51b6572394bddeb684bf0c58650a698cf7724ce62d94d"),
    "2.13": (43_037_532, "5d84b0ae7e72909b5aae7ed87df878bf06b28d9ac3005765c3529d0a66dbae6f"),
}


class NoAgent(HeadwaterError):
    """The agent cannot be had; batch jobs go unseen."""


def agent_jar(scala: str) -> Artifact:
    """The jar for a version of Scala such as 2.12."""
    try:
        from headwater.artifacts import Artifact
    except ModuleNotFoundError as error:
        raise NoAgent(
            f"the agent for batch jobs cannot be downloaded ({error.name} is missing); install what it takes with: "
            f"pip install 'headwater[spark]', or start Spark with --packages {coordinate(scala)}"
        ) from error
    if scala not in PINNED:
        raise NoAgent(f"there is no OpenLineage agent for Scala {scala}; there is one for {', '.join(PINNED)}")
    folder = coordinate(scala).replace(":", "/").replace("io.openlineage", "io/openlineage")
    return Artifact(f"{folder}/openlineage-spark_{scala}-{VERSION}.jar", *PINNED[scala])


def coordinate(scala: str) -> str:
    """What Spark's --packages calls the agent."""
    return f"io.openlineage:openlineage-spark_{scala}:{VERSION}"


def fetched_agent(scala: str, env: Mapping[str, str]) -> Path | None:
    """The jar, if it is in the user's cache already."""
    jar = agent_jar(scala)
    from headwater.artifacts import present

    return _cache(env) / jar.path if present(jar, _cache(env)) else None


def fetch_agent(scala: str, env: Mapping[str, str]) -> Path:
    """The jar, downloaded if need be. NoAgent if it cannot be had."""
    jar = agent_jar(scala)
    import httpx

    from headwater.artifacts import TIMEOUT, DownloadError, Job, fetch, present, repository

    # In this thread alone: Python would not end before a pool's threads have, however long a dead mirror takes.
    job = Job(_cache(env), repository(env), lambda count: None, threading.Event())
    try:
        if not present(jar, job.cache):
            with httpx.Client(follow_redirects=True, timeout=TIMEOUT) as client:
                fetch(job, client, jar)
    except (DownloadError, OSError) as error:
        raise NoAgent(f"the agent for batch jobs is missing: {error}") from error
    return job.cache / jar.path


def _cache(env: Mapping[str, str]) -> Path:
    from headwater.artifacts import user_cache

    return user_cache(env) / "jars"
