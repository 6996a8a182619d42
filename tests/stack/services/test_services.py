import os
import stat
from dataclasses import asdict, replace
from ipaddress import ip_address
from pathlib import Path

import psutil
import pytest

from headwater.stack.jars.sets import SETS
from headwater.stack.lab import ADDRESSES, Lab
from headwater.stack.processes.marks import family
from headwater.stack.service import Service
from headwater.stack.services import SERVICES
from headwater.stack.settings import LabSettings
from tests.stack.real import process_of, start

every_service = pytest.mark.parametrize("service", SERVICES, ids=lambda service: service.name)


def secrets(lab: Lab) -> list[str]:
    given = asdict(lab.credentials)
    return [value for name, value in given.items() if name.endswith(("password", "key"))]


def listening(process: psutil.Process) -> list[str]:
    return [one.laddr.ip for one in process.net_connections("inet") if one.status == psutil.CONN_LISTEN]


def test_every_service_has_an_address_and_needs_only_what_is_there() -> None:
    names = [service.name for service in SERVICES]
    assert sorted(names) == sorted(ADDRESSES)
    assert {need for service in SERVICES for need in service.needs} <= set(names)
    assert {jar_set for service in SERVICES for jar_set in service.jars} <= set(SETS)


@every_service
def test_a_service_starts_and_is_well(real_lab: Lab, service: Service) -> None:
    start(real_lab, service.name)
    assert service.problem(real_lab) is None


def own_settings(lab: Lab) -> LabSettings:
    """The settings of a person who runs everything himself, where the services of a lab are."""
    return LabSettings(
        kafka_bootstrap=lab.address("kafka"),
        registry_url=lab.address("registry"),
        connect_url=lab.address("connect"),
        object_store_endpoint=lab.address("object-store"),
        postgres_url=lab.address("postgres").replace("@", f":{lab.credentials.shop_password}@"),
        metastore_uri=lab.address("metastore"),
        lineage_url=lab.address("lineage"),
    )


@every_service
def test_a_service_of_the_persons_own_is_looked_for_where_it_is(real_lab: Lab, service: Service) -> None:
    start(real_lab, service.name)
    elsewhere = replace(real_lab, ports=dict.fromkeys(real_lab.ports, 1), settings=own_settings(real_lab))
    if elsewhere.external(service.name):
        assert service.problem(elsewhere) is None
    assert service.problem(replace(elsewhere, settings=LabSettings())) is not None


@pytest.mark.parametrize(
    ("name", "secret"),
    [("registry", "registry_password"), ("object-store", "s3_secret_key"), ("postgres", "postgres_password")],
)
def test_a_service_that_does_not_take_our_password_is_not_well(real_lab: Lab, name: str, secret: str) -> None:
    start(real_lab, name)
    service = next(service for service in SERVICES if service.name == name)
    mistaken = replace(real_lab, credentials=replace(real_lab.credentials, **{secret: "0" * 40}))
    problem = service.problem(mistaken)
    assert problem is not None
    assert "0" * 40 not in problem


@every_service
def test_a_service_listens_on_loopback_only(real_lab: Lab, service: Service) -> None:
    start(real_lab, service.name)
    addresses = [ip for process in family(process_of(real_lab, service.name)) for ip in listening(process)]
    assert addresses
    assert [ip for ip in addresses if not ip_address(ip.removeprefix("::ffff:")).is_loopback] == []


@every_service
def test_no_secret_shows_in_the_arguments_of_a_service(real_lab: Lab, service: Service) -> None:
    start(real_lab, service.name)
    shown = " ".join(word for process in family(process_of(real_lab, service.name)) for word in process.cmdline())
    assert [secret for secret in secrets(real_lab) if secret in shown] == []


def test_secrets_are_in_no_log_and_in_no_file_that_others_can_read(real_lab: Lab) -> None:
    start(real_lab, *(service.name for service in SERVICES))
    assert stat.S_IMODE(real_lab.home.stat().st_mode) == 0o700
    holding: list[Path] = []
    for folder, _, names in os.walk(real_lab.home):
        files = [Path(folder) / name for name in names]
        for file in files:
            if file.is_file() and not file.is_symlink():
                content = file.read_bytes()
                holding += [file for secret in secrets(real_lab) if secret.encode() in content]
    assert holding, "not even the credentials were found"
    assert [file for file in holding if stat.S_IMODE(file.stat().st_mode) & 0o077] == []
    assert [file for file in holding if real_lab.home / "logs" in file.parents] == []
