"""The web app as it is served: its pages, its files, what they may do, and what is said when it is not built."""

import gzip
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.server import web
from tests.server.serving import Running

UI = Path(__file__).parents[2] / "ui"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A built app of two files, in place of the real one."""
    folder = tmp_path / "web"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text("<!doctype html><script type=module src=./assets/app-1a2b.js></script>")
    (folder / "assets" / "app-1a2b.js").write_text("console.log('Grüße')", "utf-8")
    (tmp_path / "secret.js").write_text("secret")
    monkeypatch.setattr(web, "BUILT", folder)
    yield folder
    web._content.cache_clear()


@pytest.mark.parametrize("place", ["", *web.PLACES])
def test_every_place_is_the_same_page(any_server: Running, built: Path, place: str) -> None:
    answer = any_server.http.get(f"/{place}")
    assert answer.status_code == 200
    assert answer.text == (built / "index.html").read_text()
    assert answer.headers["cache-control"] == "no-cache"


def test_a_page_loads_nothing_from_elsewhere_and_runs_no_inline_script(any_server: Running, built: Path) -> None:
    policy = any_server.http.get("/").headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "script-src 'self'" in policy
    assert "unsafe" not in policy
    assert "http" not in policy


def test_a_file_is_kept_for_ever_because_its_name_changes(any_server: Running, built: Path) -> None:
    answer = any_server.http.get("/assets/app-1a2b.js")
    assert answer.text == "console.log('Grüße')"
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["x-content-type-options"] == "nosniff"


def test_files_are_packed_for_those_who_can_unpack(any_server: Running, built: Path) -> None:
    with any_server.http.stream("GET", "/assets/app-1a2b.js", headers={"accept-encoding": "gzip"}) as answer:
        packed = b"".join(answer.iter_raw())
    assert answer.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed).decode() == "console.log('Grüße')"
    plain = any_server.http.get("/assets/app-1a2b.js", headers={"accept-encoding": "identity"})
    assert "content-encoding" not in plain.headers


@pytest.mark.parametrize("name", ["none.js", "%2e%2e%2f%2e%2e%2fsecret.js", "..%2Findex.html%00.js"])
def test_what_is_not_a_file_of_the_app_is_not_found(any_server: Running, built: Path, name: str) -> None:
    assert any_server.http.get(f"/assets/{name}").status_code in (400, 404)


def test_an_app_that_is_not_built_says_how_to_build_it(
    any_server: Running, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(web, "BUILT", tmp_path)
    answer = any_server.http.get("/")
    assert answer.status_code == 404
    assert "make ui" in answer.text


def test_the_server_and_the_app_list_the_same_places() -> None:
    listed = re.findall(r"path: '(\w*)'", (UI / "src" / "shell" / "places.ts").read_text("utf-8"))
    assert sorted(listed) == sorted(["", *web.PLACES])


def test_an_unknown_path_is_still_an_answer_for_programs(any_server: Running, built: Path) -> None:
    answer = any_server.http.get("/nowhere")
    assert answer.status_code == 404
    assert "/docs lists" in answer.json()["message"]


def test_the_lock_of_the_web_apps_packages_names_no_registry() -> None:
    assert '"resolved"' not in (UI / "package-lock.json").read_text("utf-8")
