import hashlib
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.spark import agent_jar
from headwater.capture.spark.agent_jar import NoAgent, coordinate, fetch_agent, fetched_agent
from tests.server.serving import free_port


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Keep the test's output to the test's."""


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, str]]:
    """A Maven repository that has a small agent for Scala 2.12."""
    content = b"an agent"
    monkeypatch.setattr(agent_jar, "PINNED", {"2.12": (len(content), hashlib.sha256(content).hexdigest())})
    jar = tmp_path / "maven" / agent_jar.agent_jar("2.12").path
    jar.parent.mkdir(parents=True)
    jar.write_bytes(content)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path / "maven"))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield {
            "HEADWATER_MAVEN_URL": f"http://127.0.0.1:{server.server_port}",
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
        }
        server.shutdown()
        thread.join()


def test_it_is_downloaded_once_into_the_users_cache(env: dict[str, str], tmp_path: Path) -> None:
    assert fetched_agent("2.12", env) is None
    jar = fetch_agent("2.12", env)
    assert jar.read_bytes() == b"an agent"
    assert jar.is_relative_to(tmp_path / "cache" / "headwater" / "jars" / "io" / "openlineage")
    assert fetched_agent("2.12", env) == jar
    away = {**env, "HEADWATER_MAVEN_URL": f"http://127.0.0.1:{free_port()}"}
    assert fetch_agent("2.12", away) == jar


def test_a_jar_that_is_not_what_it_must_be_is_not_used(env: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agent_jar, "PINNED", {"2.12": (8, "0" * 64)})
    with pytest.raises(NoAgent, match="is not the file that is expected"):
        fetch_agent("2.12", env)
    assert fetched_agent("2.12", env) is None


def test_a_scala_without_an_agent_is_said(env: dict[str, str]) -> None:
    with pytest.raises(NoAgent, match=r"no OpenLineage agent for Scala 3\.8"):
        fetch_agent("3.8", env)


def test_sparks_own_name_for_it_is_known() -> None:
    assert coordinate("2.13") == f"io.openlineage:openlineage-spark_2.13:{agent_jar.VERSION}"
