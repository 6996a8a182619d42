from dataclasses import replace

import pytest

from headwater.artifacts import Artifact
from headwater.stack.lab import Lab
from headwater.stack.processes.records import Record
from headwater.stack.supervisor.fingerprint import fingerprint, is_stale
from tests.stack.small import small_service

KAFKA = small_service("kafka")


def test_the_same_lab_has_the_same_fingerprint(lab: Lab) -> None:
    assert fingerprint(lab, KAFKA) == fingerprint(replace(lab), KAFKA)


@pytest.mark.parametrize("change", ["ports", "host", "credentials", "external", "java", "title"])
def test_whatever_a_service_is_started_with_changes_it(lab: Lab, change: str) -> None:
    settings = lab.settings
    changed = {
        "ports": replace(lab, ports={**lab.ports, "registry": 1}),
        "host": replace(lab, settings=replace(settings, host="10.0.0.1")),
        "credentials": replace(lab, credentials=replace(lab.credentials, shop_password="x")),
        "external": replace(lab, settings=replace(settings, lineage_url="http://l:1")),
        "java": replace(lab, java=lab.home / "java"),
        "title": lab,
    }[change]
    service = replace(KAFKA, title="a newer kafka") if change == "title" else KAFKA
    assert fingerprint(changed, service) != fingerprint(lab, KAFKA)


def test_new_jars_change_it(lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    service = replace(KAFKA, jars=("kafka",))
    before = fingerprint(lab, service)
    monkeypatch.setattr("headwater.stack.jars.folders.read_lock", lambda: {"kafka": (Artifact("a.jar", 1, "0"),)})
    assert fingerprint(lab, service) != before


def test_what_concerns_only_jobs_does_not(lab: Lab) -> None:
    changed = replace(lab, settings=replace(lab.settings, spark_driver_memory="4g", spark_conf={"spark.a": "1"}))
    assert fingerprint(changed, KAFKA) == fingerprint(lab, KAFKA)


def test_a_service_that_does_not_run_is_not_stale(lab: Lab) -> None:
    assert not is_stale(lab, KAFKA, None)
    record = Record(role="service:kafka", pid=1, created=0.0, fingerprint=fingerprint(lab, KAFKA))
    assert not is_stale(lab, KAFKA, record)
    assert is_stale(lab, KAFKA, replace(record, fingerprint="other"))
