import os
import signal
from dataclasses import replace

from headwater.stack.lab import Lab
from headwater.stack.processes.records import alive, running
from headwater.stack.processes.spawning import start
from headwater.stack.service import Command
from headwater.stack.supervisor.board import State
from headwater.stack.supervisor.status import job_statuses, service_status, service_statuses
from tests.stack.small import bring_up, free_port, small_service, wait_for

KAFKA = small_service("kafka")


def test_a_healthy_service_shows_where_and_how_it_runs(lab: Lab) -> None:
    bring_up(lab, [KAFKA])
    status = service_status(lab, KAFKA)
    assert status.state is State.HEALTHY
    assert (status.why, status.port, status.address) == ("", lab.ports["kafka"], lab.address("kafka"))
    assert status.pid
    assert status.memory_mb
    assert status.uptime_seconds is not None
    assert status.log == str(lab.log("kafka"))


def test_a_service_that_never_ran_is_stopped(lab: Lab) -> None:
    assert service_status(lab, KAFKA).state is State.STOPPED


def test_a_service_that_ended_by_itself_is_dead(lab: Lab) -> None:
    bring_up(lab, [KAFKA])
    record = running(lab, "kafka")
    assert record
    os.kill(record.pid, signal.SIGKILL)
    wait_for(lambda: not alive(record))
    status = service_status(lab, KAFKA)
    assert (status.state, status.pid) == (State.DEAD, None)
    assert "headwater lab logs kafka" in status.why


def test_a_service_that_hangs_is_unhealthy_and_one_that_is_young_is_starting(lab: Lab) -> None:
    bring_up(lab, [KAFKA])
    record = running(lab, "kafka")
    assert record
    os.kill(record.pid, signal.SIGSTOP)
    hanging = service_status(lab, KAFKA)
    assert (hanging.state, hanging.why) == (State.UNHEALTHY, "does not answer")
    young = small_service("registry", delay=60.0)
    start(lab, "service:registry", young.command(lab))
    assert [status.state for status in service_statuses(lab, [young, KAFKA])] == [State.STARTING, State.UNHEALTHY]


def test_a_service_of_the_users_own_is_shown_as_theirs(lab: Lab) -> None:
    bring_up(lab, [KAFKA])
    mine = replace(lab, settings=replace(lab.settings, kafka_bootstrap=lab.address("kafka")))
    assert service_status(mine, KAFKA).state is State.YOURS
    gone = replace(lab, settings=replace(lab.settings, kafka_bootstrap=f"127.0.0.1:{free_port()}"))
    status = service_status(gone, KAFKA)
    assert (status.state, status.why) == (State.UNHEALTHY, "yours: does not listen")


def test_a_check_that_breaks_is_what_is_wrong(lab: Lab) -> None:
    def broken(lab: Lab) -> str | None:
        raise RuntimeError("no such\nfile")

    bring_up(lab, [KAFKA])
    status = service_status(lab, replace(KAFKA, problem=broken))
    assert (status.state, status.why) == (State.UNHEALTHY, "no such file")


def test_jobs_are_shown_too(lab: Lab) -> None:
    record = start(lab, "job:supplier-stats", Command(argv=("sleep", "600")))
    assert [(status.name, status.state) for status in job_statuses(lab)] == [("supplier-stats", State.RUNNING)]
    os.kill(record.pid, signal.SIGKILL)
    wait_for(lambda: not alive(record))
    assert [status.state for status in job_statuses(lab)] == [State.DEAD]
