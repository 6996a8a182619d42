"""Downloads from a real server that can break connections, lie, and keep count of what it was asked."""

import hashlib
import re
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from headwater.artifacts import MAVEN_CENTRAL, Artifact, DownloadError, WrongFile, download, missing, repository


@dataclass
class Repository:
    """Files by path, and how the server behaves when asked for them."""

    url: str
    files: dict[str, bytes] = field(default_factory=dict)
    asked: list[tuple[str, str | None]] = field(default_factory=list)
    # How many bytes of each coming answer are sent before the connection is cut.
    cuts: list[int] = field(default_factory=list)
    statuses: list[int] = field(default_factory=list)
    knows_ranges: bool = True
    most_at_once: int = 0
    at_once: int = 0

    def publish(self, path: str, body: bytes) -> Artifact:
        self.files[path] = body
        return Artifact(path, len(body), hashlib.sha256(body).hexdigest())


@pytest.fixture
def maven() -> Iterator[Repository]:
    lock = threading.Lock()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            with lock:
                served.asked.append((self.path[1:], self.headers["Range"]))
                served.at_once += 1
                served.most_at_once = max(served.most_at_once, served.at_once)
                status = served.statuses.pop(0) if served.statuses else 200
                cut = served.cuts.pop(0) if served.cuts else None
            try:
                self.answer(status, cut)
            finally:
                with lock:
                    served.at_once -= 1

        def answer(self, status: int, cut: int | None) -> None:
            body = served.files.get(self.path[1:])
            if body is None or status != 200:
                self.send_error(404 if body is None else status)
                return
            start = re.fullmatch(r"bytes=(\d+)-", self.headers["Range"] or "")
            if start and served.knows_ranges:
                status, body = 206, body[int(start[1]) :]
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body if cut is None else body[:cut])

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output to the test's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        served = Repository(f"http://127.0.0.1:{http.server_port}")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield served
        http.shutdown()
        thread.join()


BODY = bytes(range(256)) * 4096


def test_files_arrive_whole_in_the_layout_of_maven(maven: Repository, tmp_path: Path) -> None:
    artifacts = [maven.publish(f"org/shop/lib{n}/1.0/lib{n}-1.0.jar", BODY + bytes([n])) for n in range(9)]
    seen: list[int] = []
    assert download(artifacts, tmp_path, maven.url, seen.append) == sum(a.size for a in artifacts) == sum(seen)
    for artifact in artifacts:
        assert (tmp_path / artifact.path).read_bytes() == maven.files[artifact.path]
    assert not list(tmp_path.rglob("*.part"))
    assert maven.most_at_once <= 4


def test_the_second_time_nothing_is_asked_of_the_network(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("a.jar", BODY)
    download([artifact, artifact], tmp_path, maven.url)
    assert len(maven.asked) == 1
    assert download([artifact], tmp_path, "http://127.0.0.1:1") == 0


def test_a_file_of_the_wrong_length_in_the_cache_is_brought_again(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("a.jar", BODY)
    (tmp_path / "a.jar").write_bytes(BODY[:10])
    assert missing([artifact], tmp_path) == [artifact]
    download([artifact], tmp_path, maven.url)
    assert (tmp_path / "a.jar").read_bytes() == BODY


def test_a_cut_connection_goes_on_from_where_it_was_cut(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("a.jar", BODY)
    maven.cuts = [1000, 500_000]
    seen: list[int] = []
    download([artifact], tmp_path, maven.url, seen.append)
    assert (tmp_path / "a.jar").read_bytes() == BODY
    assert [asked for _, asked in maven.asked] == [None, "bytes=1000-", "bytes=501000-"]
    assert sum(seen) == len(BODY)


def test_an_earlier_attempt_is_gone_on_with(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("a.jar", BODY)
    (tmp_path / "a.jar.part").write_bytes(BODY[:400_000])
    seen: list[int] = []
    assert download([artifact], tmp_path, maven.url, seen.append) == len(BODY) - 400_000
    assert maven.asked == [("a.jar", "bytes=400000-")]
    assert sum(seen) == len(BODY)


def test_a_part_that_was_damaged_is_thrown_away_and_the_whole_brought(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("a.jar", BODY)
    (tmp_path / "a.jar.part").write_bytes(b"x" * 400_000)
    seen: list[int] = []
    download([artifact], tmp_path, maven.url, seen.append)
    assert (tmp_path / "a.jar").read_bytes() == BODY
    assert [asked for _, asked in maven.asked] == ["bytes=400000-", None]
    assert sum(seen) == len(BODY)


def test_a_part_longer_than_the_file_is_thrown_away(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("a.jar", BODY)
    (tmp_path / "a.jar.part").write_bytes(BODY + b"more")
    download([artifact], tmp_path, maven.url)
    assert (tmp_path / "a.jar").read_bytes() == BODY


def test_a_server_that_cannot_send_parts_sends_the_whole(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("a.jar", BODY)
    maven.knows_ranges = False
    maven.cuts = [1000]
    download([artifact], tmp_path, maven.url)
    assert (tmp_path / "a.jar").read_bytes() == BODY


def test_a_server_in_trouble_is_asked_again(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("a.jar", BODY)
    maven.statuses = [503, 429]
    download([artifact], tmp_path, maven.url)
    assert len(maven.asked) == 3


def test_a_wrong_file_is_refused_and_not_kept(maven: Repository, tmp_path: Path) -> None:
    good = maven.publish("a.jar", BODY)
    maven.files["a.jar"] = b"y" * len(BODY)
    with pytest.raises(WrongFile) as caught:
        download([good], tmp_path, maven.url)
    for part in ("a.jar", good.sha256, maven.url, "HEADWATER_MAVEN_URL"):
        assert part in str(caught.value)
    assert not (tmp_path / "a.jar").exists()
    assert (tmp_path / "a.jar.part").read_bytes() == b""


def test_a_file_that_is_not_there_is_named_with_what_to_do(maven: Repository, tmp_path: Path) -> None:
    artifact = Artifact("org/shop/gone.jar", 10, "0" * 64)
    url = maven.url.replace("http://", "http://ada:secret@")
    with pytest.raises(DownloadError) as caught:
        download([artifact], tmp_path, url)
    assert "org/shop/gone.jar" in str(caught.value)
    assert "404" in str(caught.value)
    assert "HEADWATER_MAVEN_URL" in str(caught.value)
    assert "secret" not in str(caught.value)
    assert len(maven.asked) == 1


def test_a_cache_that_cannot_be_written_is_named(maven: Repository, tmp_path: Path) -> None:
    artifact = maven.publish("folder/a.jar", BODY)
    (tmp_path / "folder").write_text("a file where a folder must be")
    with pytest.raises(DownloadError, match=f"cannot keep downloads in {tmp_path}"):
        download([artifact], tmp_path, maven.url)


def test_two_labs_that_want_the_same_file_bring_it_once(maven: Repository, tmp_path: Path) -> None:
    artifacts = [maven.publish(f"{n}.jar", BODY * 4) for n in range(4)]
    labs = [threading.Thread(target=download, args=(artifacts, tmp_path, maven.url)) for _ in range(2)]
    for lab in labs:
        lab.start()
    for lab in labs:
        lab.join()
    assert sorted(path for path, _ in maven.asked) == [a.path for a in artifacts]
    assert not list(tmp_path.rglob("*.part"))


def test_a_mirror_takes_the_place_of_maven_central() -> None:
    assert repository({"HEADWATER_MAVEN_URL": "https://mirror.example/maven/"}) == "https://mirror.example/maven"
    assert repository({"HEADWATER_MAVEN_URL": ""}) == repository({}) == MAVEN_CENTRAL
