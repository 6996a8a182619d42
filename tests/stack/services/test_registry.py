import io
import tarfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from headwater.stack.lab import Lab
from headwater.stack.services.registry import unpack
from tests.stack.real import kill, start

SCHEMA = '{"type": "record", "name": "Order", "fields": [{"name": "order_id", "type": "string"}]}'


def client(lab: Lab, password: str | None = None) -> httpx.Client:
    credentials = lab.credentials
    login = (credentials.registry_user, password or credentials.registry_password)
    return httpx.Client(base_url=lab.address("registry"), auth=login, timeout=30, trust_env=False)


def test_a_schema_is_there_after_the_registry_was_killed(real_lab: Lab) -> None:
    start(real_lab, "registry")
    with client(real_lab) as registry:
        answer = registry.post("/subjects/kept-value/versions", json={"schema": SCHEMA})
        assert answer.status_code == 200
    kill(real_lab, "registry")
    start(real_lab, "registry")
    with client(real_lab) as registry:
        assert registry.get(f"/schemas/ids/{answer.json()['id']}").json()["schema"] == SCHEMA


def test_a_wrong_password_and_none_are_refused(real_lab: Lab) -> None:
    start(real_lab, "registry")
    with client(real_lab, "wrong") as registry:
        assert registry.get("/subjects").status_code == 401
    native = real_lab.address("registry").replace("ccompat/v7", "registry/v2/search/artifacts")
    for url in (f"{real_lab.address('registry')}/subjects", native):
        assert httpx.get(url, trust_env=False).status_code == 401


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    with tarfile.open(tmp_path / "program.tar.gz", "w:gz") as tar:
        for number in range(200):
            entry = tarfile.TarInfo(f"lib/{number}.jar")
            entry.size = 10
            tar.addfile(entry, io.BytesIO(b"0123456789"))
    return tmp_path / "program.tar.gz"


def test_a_program_is_unpacked_once_when_several_ask_at_the_same_time(tmp_path: Path, archive: Path) -> None:
    folder = tmp_path / "programs" / "registry"
    with ThreadPoolExecutor(4) as several:
        list(several.map(lambda _: unpack(archive, folder), range(4)))
    assert len(list((folder / "lib").iterdir())) == 200
    assert list(folder.parent.iterdir()) == [folder], "nothing is left lying about"


def test_a_program_whose_archive_is_damaged_does_not_appear(tmp_path: Path, archive: Path) -> None:
    archive.write_bytes(archive.read_bytes()[:-200])
    folder = tmp_path / "programs" / "registry"
    with pytest.raises((EOFError, tarfile.TarError)):
        unpack(archive, folder)
    assert list(folder.parent.iterdir()) == []
