import threading
from dataclasses import asdict
from pathlib import Path

import pytest

from headwater.errors import HeadwaterError
from headwater.stack.credentials import Credentials, load_credentials


def test_each_lab_has_secrets_of_its_own_which_it_keeps(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "other").mkdir()
    one = load_credentials(tmp_path / "one")
    assert load_credentials(tmp_path / "one") == one
    other = load_credentials(tmp_path / "other")
    secrets = [value for name, value in asdict(one).items() if not name.endswith("_user")]
    assert len({*secrets, *asdict(other).values()}) == len(secrets) + len(asdict(other))


def test_the_file_is_its_owners_alone_even_after_it_was_opened_to_others(tmp_path: Path) -> None:
    load_credentials(tmp_path)
    file = tmp_path / "credentials.toml"
    assert file.stat().st_mode & 0o777 == 0o600
    file.chmod(0o644)
    load_credentials(tmp_path)
    assert file.stat().st_mode & 0o777 == 0o600


def test_a_secret_that_an_older_file_lacks_is_added(tmp_path: Path) -> None:
    (tmp_path / "credentials.toml").write_text('registry_password = "abc123"\nforgotten = "x"\n')
    credentials = load_credentials(tmp_path)
    assert credentials.registry_password == "abc123"
    assert load_credentials(tmp_path) == credentials


def test_no_secret_shows_in_the_repr() -> None:
    credentials = Credentials()
    for name, value in asdict(credentials).items():
        assert (value in repr(credentials)) == name.endswith("_user")


def test_two_commands_that_make_the_first_ones_at_once_agree(tmp_path: Path) -> None:
    ready = threading.Barrier(8)
    seen: list[Credentials] = []

    def load() -> None:
        ready.wait()
        seen.append(load_credentials(tmp_path))

    threads = [threading.Thread(target=load) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == 8
    assert len(set(seen)) == 1


@pytest.mark.parametrize("text", ["registry_password =", 'registry_password = "a b"', "registry_password = 1"])
def test_a_file_that_cannot_be_used_is_named_without_what_is_in_it(tmp_path: Path, text: str) -> None:
    (tmp_path / "credentials.toml").write_text(text)
    with pytest.raises(HeadwaterError) as caught:
        load_credentials(tmp_path)
    assert "credentials.toml" in str(caught.value)
    assert "headwater lab reset" in str(caught.value)
    assert "a b" not in str(caught.value)
