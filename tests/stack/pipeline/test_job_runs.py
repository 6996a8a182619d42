"""Jobs as processes, with the real generator as the job: how an end is told, and when it is started again."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from headwater.pipeline.settings import Catalog, Kafka, PipelineSettings, Registry, Shop, Spark, write_settings
from headwater.pipeline.shop import open_shop
from headwater.stack.handover import PIPELINE_FILE
from headwater.stack.lab import Lab
from headwater.stack.pipeline.job_runs import (
    Job,
    JobFailed,
    KeptJob,
    next_job,
    pause_after,
    run_jobs,
    running_beside,
    start_job,
)
from headwater.stack.processes.records import gone, running
from tests.stack.small import processes, small_lab, wait_for

pytestmark = pytest.mark.postgres
GENERATOR = "orders-generator"


@pytest.fixture
def shop_url(new_postgres_database: Callable[[], str]) -> str:
    return new_postgres_database()


@pytest.fixture
def lab(tmp_path: Path, shop_url: str) -> Iterator[Lab]:
    """A lab without services, whose generator finds the test's shop."""
    lab = small_lab(tmp_path / "lab")
    tell_of_shop(lab, shop_url)
    yield lab
    for process in processes(lab.home):
        process.kill()
        wait_for(partial(gone, process))


def tell_of_shop(lab: Lab, url: str) -> None:
    settings = PipelineSettings(
        kafka=Kafka(bootstrap="none"),
        registry=Registry(url="none"),
        catalog=Catalog(warehouse="none"),
        spark=Spark(checkpoints="none"),
        shop=Shop(url=url),
    )
    write_settings(lab.home / PIPELINE_FILE, settings)


def orders(shop_url: str) -> int:
    with open_shop(shop_url) as shop:
        row = shop.execute("SELECT count(*) FROM orders").fetchone()
    assert row
    return int(row[0])


def seen_dead(kept: KeptJob) -> bool:
    """Whether a look at a kept job finds that its process has ended."""
    kept.look()
    return kept.run is None


def few(count: int) -> Job:
    return Job(GENERATOR, ("--fast", "--orders", str(count)))


def test_jobs_of_one_name_run_one_after_the_other_and_nothing_is_left(lab: Lab, shop_url: str) -> None:
    took = run_jobs(lab, [few(30), few(40)], side_by_side=2, timeout=30)
    assert orders(shop_url) == 70
    assert took[GENERATOR] > 0
    assert running(lab, GENERATOR) is None
    assert processes(lab.home) == []


def test_a_job_waits_for_those_it_comes_after() -> None:
    early, late, other = Job("a"), Job("b", after=("a",)), Job("c")
    assert next_job([late, early, other], ()) == early
    assert next_job([late, other], ("a",)) == other
    assert next_job([late, other], ("c",)) == late
    assert next_job([late], ("a",)) is None
    assert next_job([early], ("a",)) is None


def test_a_job_runs_beside_something_else(lab: Lab, shop_url: str) -> None:
    with running_beside(lab, few(50), timeout=30):
        began = orders(shop_url)
    assert (began < 50, orders(shop_url)) == (True, 50)
    with pytest.raises(ZeroDivisionError), running_beside(lab, Job(GENERATOR), timeout=30):
        _ = orders(shop_url) / 0
    assert processes(lab.home) == []


def test_a_job_that_fails_is_told_with_the_end_of_its_log(lab: Lab) -> None:
    with pytest.raises(JobFailed, match="ended with exit code 2") as raised:
        run_jobs(lab, [Job(GENERATOR, ("--rate", "none"))], side_by_side=1, timeout=30)
    assert "invalid number above zero value: 'none'" in str(raised.value)
    assert str(lab.log(GENERATOR)) in str(raised.value)


def test_a_job_that_takes_too_long_is_ended(lab: Lab) -> None:
    with pytest.raises(JobFailed, match="did not end within 1 s"):
        run_jobs(lab, [Job(GENERATOR)], side_by_side=1, timeout=1)
    assert processes(lab.home) == []


def test_a_job_is_ended_as_it_likes_to_be(lab: Lab, shop_url: str) -> None:
    run = start_job(lab, Job(GENERATOR, ("--rate", "50")))
    wait_for(lambda: orders(shop_url) > 5)
    assert run.ended() is None
    run.end()
    assert f"{orders(shop_url)} orders written" in "\n".join(run.lines())
    assert processes(lab.home) == []


def test_a_kept_job_that_dies_is_told_of_and_started_again_after_a_pause(lab: Lab, shop_url: str) -> None:
    now = [100.0]
    kept = KeptJob(lab, Job(GENERATOR, ("--rate", "50")), lambda: now[0])
    kept.look()
    assert kept.state() == "running"
    wait_for(lambda: orders(shop_url) > 5)
    process = processes(lab.home)[0]
    process.kill()
    wait_for(partial(seen_dead, kept))
    assert kept.state() == "died, starts again in 2 s"
    (told,) = kept.obituaries
    assert "orders-generator was ended by SIGKILL" in told
    assert "connected to the shop" in told
    kept.look()
    assert kept.run is None, "it waits"
    now[0] += 2
    kept.look()
    assert kept.state() == "running, started again 1×"
    kept.end()
    assert processes(lab.home) == []


def test_a_kept_job_that_has_done_its_work_is_not_started_again(lab: Lab, shop_url: str) -> None:
    kept = KeptJob(lab, few(10))
    wait_for(partial(seen_dead, kept))
    kept.look()
    assert kept.state() == "done"
    assert (orders(shop_url), kept.obituaries) == (10, [])


def test_a_good_run_is_forgiven_earlier_deaths(lab: Lab) -> None:
    now = [0.0]
    kept = KeptJob(lab, Job(GENERATOR), lambda: now[0], deaths=5)
    kept.look()
    now[0] = 1_000.0
    processes(lab.home)[0].kill()
    wait_for(partial(seen_dead, kept))
    assert kept.deaths == 1


def test_pauses_grow_up_to_a_minute() -> None:
    assert [pause_after(deaths) for deaths in (1, 2, 3, 20)] == [2, 4, 8, 60]


def test_an_interrupt_ends_the_jobs_that_run(lab: Lab, shop_url: str) -> None:
    def interrupt() -> None:
        wait_for(lambda: orders(shop_url) > 0)
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        run_jobs(lab, [Job(GENERATOR)], side_by_side=1, timeout=30)
    thread.join()
    assert processes(lab.home) == []
