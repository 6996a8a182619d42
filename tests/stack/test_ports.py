import os
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from headwater.errors import SettingError
from headwater.stack.claims import Claims
from headwater.stack.ports import free, next_free, remembered_ports, settle_ports, who_holds
from headwater.stack.settings import DEFAULT_PORTS, LabSettings
from tests.stack.small import free_port

HOST = "127.0.0.1"


@pytest.fixture
def defaults(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """Default ports that are free, whatever runs on this machine."""
    ports = {name: free_port() for name in DEFAULT_PORTS}
    monkeypatch.setattr("headwater.stack.ports.DEFAULT_PORTS", ports)
    return ports


@pytest.fixture
def claims(tmp_path: Path) -> Iterator[Claims]:
    """What this test claims."""
    with Claims(tmp_path / "claims") as claims:
        yield claims


def test_the_holder_of_a_port_is_named() -> None:
    with socket.create_server((HOST, 0)) as listener:
        holder = who_holds(listener.getsockname()[1])
    assert f"pid {os.getpid()}" in holder
    assert "user " in holder


def test_a_port_is_free_again_at_once_when_its_server_is_gone() -> None:
    with socket.create_server((HOST, 0)) as listener:
        port = listener.getsockname()[1]
        assert not free(HOST, port)
        with socket.create_connection((HOST, port)) as client:
            # The side that closes first keeps the port in TIME_WAIT.
            listener.accept()[0].close()
            client.recv(1)
    assert free(HOST, port)


def test_a_port_of_which_another_address_is_taken_by_all_is_taken() -> None:
    with socket.create_server(("0.0.0.0", 0)) as listener:
        assert not free(HOST, listener.getsockname()[1])


def test_free_ports_stay_as_they_are(defaults: dict[str, int], claims: Claims, tmp_path: Path) -> None:
    settled = settle_ports(tmp_path, LabSettings(), list(DEFAULT_PORTS), [], claims)
    assert settled.ports == defaults
    assert settled.notes == {}
    assert remembered_ports(tmp_path) == defaults


def test_a_taken_default_gives_way_to_the_next_that_nobody_is_to_have(
    defaults: dict[str, int], claims: Claims, tmp_path: Path
) -> None:
    with socket.create_server((HOST, defaults["kafka"])):
        settled = settle_ports(tmp_path, LabSettings(), ["kafka", "registry"], [], claims)
        assert settled.ports["kafka"] > defaults["kafka"]
        assert settled.ports["kafka"] not in defaults.values()
        assert f"pid {os.getpid()}" in settled.notes["kafka"]
        assert settle_ports(tmp_path, LabSettings(), ["kafka"], [], claims).ports == settled.ports


def test_a_port_that_another_lab_is_about_to_use_is_left_to_it(defaults: dict[str, int], tmp_path: Path) -> None:
    with Claims(tmp_path) as first, Claims(tmp_path) as second:
        settle_ports(tmp_path / "one", LabSettings(), ["kafka"], [], first)
        settled = settle_ports(tmp_path / "two", LabSettings(), ["kafka"], [], second)
        assert settled.ports["kafka"] > defaults["kafka"]
        assert "another lab, which is starting" in settled.notes["kafka"]
    with Claims(tmp_path) as third:
        assert settle_ports(tmp_path / "three", LabSettings(), ["kafka"], [], third).ports == defaults


def test_a_set_port_that_is_taken_is_an_error_that_names_the_holder(
    defaults: dict[str, int], claims: Claims, tmp_path: Path
) -> None:
    with socket.create_server((HOST, 0)) as listener:
        port = listener.getsockname()[1]
        with pytest.raises(SettingError) as caught:
            settle_ports(tmp_path, LabSettings(kafka_port=port), ["kafka"], [], claims)
    for part in (f"port {port}", "kafka", f"pid {os.getpid()}", "lab.toml"):
        assert part in str(caught.value)


def test_a_port_that_the_labs_own_service_holds_is_its_own(
    defaults: dict[str, int], claims: Claims, tmp_path: Path
) -> None:
    settle_ports(tmp_path, LabSettings(), ["kafka"], [], claims)
    with socket.create_server((HOST, defaults["kafka"])):
        assert settle_ports(tmp_path, LabSettings(), ["kafka"], ["kafka"], claims).ports == defaults


def test_a_new_port_for_a_running_service_is_looked_at(
    defaults: dict[str, int], claims: Claims, tmp_path: Path
) -> None:
    settle_ports(tmp_path, LabSettings(), ["kafka"], [], claims)
    with socket.create_server((HOST, 0)) as listener, pytest.raises(SettingError):
        settle_ports(tmp_path, LabSettings(kafka_port=listener.getsockname()[1]), ["kafka"], ["kafka"], claims)


def test_a_port_that_is_not_wanted_may_be_taken(defaults: dict[str, int], claims: Claims, tmp_path: Path) -> None:
    with socket.create_server((HOST, defaults["kafka"])):
        assert settle_ports(tmp_path, LabSettings(), ["registry"], [], claims).ports == defaults


@pytest.mark.parametrize("text", ["", "[]", '{"kafka": "x", "unknown": 1}', "{"])
def test_what_was_remembered_wrongly_is_forgotten(tmp_path: Path, text: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "ports.json").write_text(text)
    assert remembered_ports(tmp_path) == {}


def test_there_is_an_end_to_ports(claims: Claims) -> None:
    with pytest.raises(SettingError, match="no port from 65535 to 65535 is free"):
        next_free(HOST, 65535, [], claims)
