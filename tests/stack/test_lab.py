from collections.abc import Mapping
from pathlib import Path

import pytest

from headwater.errors import HeadwaterError
from headwater.stack.lab import Lab, open_lab
from headwater.stack.settings import DEFAULT_PORTS


def opened(folder: Path, toml: str = "", env: Mapping[str, str] | None = None, *, make: bool = True) -> Lab:
    (folder / "lab.toml").write_text(toml)
    return open_lab({"HOME": str(folder), **(env or {})}, folder, make=make)


def test_a_lab_lives_in_a_folder_that_only_its_owner_can_enter_and_git_ignores(tmp_path: Path) -> None:
    lab = opened(tmp_path)
    assert lab.home == tmp_path / ".lab"
    assert lab.home.stat().st_mode & 0o777 == 0o700
    assert (lab.home / ".gitignore").read_text() == "*\n"
    assert lab.config("kafka").stat().st_mode & 0o777 == 0o700


def test_a_folder_that_holds_something_else_does_not_become_a_lab(tmp_path: Path) -> None:
    (tmp_path / "documents").mkdir(mode=0o755)
    (tmp_path / "documents" / "letter").touch()
    with pytest.raises(HeadwaterError, match="documents is not empty and no lab is in it"):
        opened(tmp_path, env={"HEADWATER_LAB_HOME": "documents"})
    assert (tmp_path / "documents").stat().st_mode & 0o777 == 0o755


def test_a_folder_whose_name_the_services_would_split_is_refused(tmp_path: Path) -> None:
    with pytest.raises(HeadwaterError, match=r"read ':' and ',' as the space between two paths.*--home"):
        opened(tmp_path, env={"HEADWATER_LAB_HOME": "a:b,c"})
    assert not (tmp_path / "a:b,c").exists()


def test_to_look_at_a_lab_that_is_not_there_makes_nothing(tmp_path: Path) -> None:
    lab = opened(tmp_path, make=False)
    assert not lab.home.exists()
    assert lab.ports == DEFAULT_PORTS


def test_the_home_can_be_named(tmp_path: Path) -> None:
    assert opened(tmp_path, env={"HEADWATER_LAB_HOME": "elsewhere"}).home == tmp_path / "elsewhere"
    assert open_lab({}, tmp_path, home=Path("given"), make=False).home == tmp_path / "given"


def test_a_lab_is_the_same_lab_whichever_way_its_home_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert opened(tmp_path, env={"HEADWATER_LAB_HOME": "link"}).home == tmp_path / "real"


def test_each_service_has_an_address(tmp_path: Path) -> None:
    lab = opened(tmp_path)
    assert {
        name: lab.address(name)
        for name in ("kafka", "registry", "connect", "object-store", "postgres", "metastore", "history", "lineage")
    } == {
        "kafka": "127.0.0.1:9092",
        "registry": "http://127.0.0.1:8081/apis/ccompat/v7",
        "connect": "http://127.0.0.1:8083",
        "object-store": "http://127.0.0.1:9000",
        "postgres": "postgresql://shop@127.0.0.1:5442/shop",
        "metastore": "thrift://127.0.0.1:9083",
        "history": "http://127.0.0.1:18080",
        "lineage": "http://127.0.0.1:5000",
    }


@pytest.mark.parametrize(
    ("host", "address"),
    [("0.0.0.0", "http://127.0.0.1:8083"), ("10.1.2.3", "http://10.1.2.3:8083"), ("::1", "http://[::1]:8083")],
)
def test_clients_are_given_an_address_that_leads_to_where_services_listen(
    tmp_path: Path, host: str, address: str
) -> None:
    lab = opened(tmp_path, f'host = "{host}"')
    assert (lab.host, lab.address("connect")) == (host, address)


OWN = """
[kafka]
bootstrap = "broker:9092"
[registry]
url = "https://registry.example/"
username = "ada"
password = "r-secret"
[object_store]
endpoint = "https://s3.example"
access_key = "KEY"
secret_key = "s-secret"
[postgres]
url = "postgresql://owner:p%40secret@db:5432/shop"
"""


def test_a_service_of_the_users_own_takes_the_place_of_the_labs(tmp_path: Path) -> None:
    lab = opened(tmp_path, OWN)
    assert lab.address("kafka") == lab.external("kafka") == "broker:9092"
    assert lab.address("registry") == "https://registry.example"
    assert lab.address("postgres") == "postgresql://owner@db:5432/shop"
    assert lab.external("metastore") is None
    known = lab.credentials
    assert (known.registry_user, known.registry_password) == ("ada", "r-secret")
    assert (known.s3_access_key, known.s3_secret_key) == ("KEY", "s-secret")
    assert (known.shop_user, known.shop_password) == ("owner", "p@secret")


def test_the_secrets_of_the_users_own_services_are_not_kept_by_the_lab(tmp_path: Path) -> None:
    opened(tmp_path, OWN)
    assert "secret" not in (tmp_path / ".lab" / "credentials.toml").read_text().replace("s3_secret_key", "")


@pytest.mark.parametrize(
    ("env", "cache"),
    [({}, ".cache/headwater"), ({"XDG_CACHE_HOME": "/caches"}, "/caches/headwater"), ({"XDG_CACHE_HOME": "x"}, None)],
)
def test_downloads_are_kept_where_the_user_keeps_caches(tmp_path: Path, env: dict[str, str], cache: str | None) -> None:
    assert opened(tmp_path, env=env).cache == tmp_path / (cache or ".cache/headwater")
