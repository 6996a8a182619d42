"""The generator on a real PostgreSQL: its rate, its keys, and what it does when the shop or it is stopped."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from headwater.pipeline.generator import Pace, Plan, ShopError, clock_of, generate, parse_plan
from headwater.pipeline.orders import SUPPLIERS
from headwater.pipeline.shop import open_shop

pytestmark = pytest.mark.postgres
DEADLINE = 30.0


@pytest.fixture
def shop_url(new_postgres_database: Callable[[], str]) -> str:
    return new_postgres_database()


def rows(url: str, query: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(url) as shop:
        return shop.execute(query).fetchall()


def count(url: str) -> int:
    with open_shop(url) as shop:
        row = shop.execute("SELECT count(*) FROM orders").fetchone()
        assert row
        return int(row[0])


def wait_until(true: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE
    while not true():
        assert time.monotonic() < deadline, "it did not come true in time"
        time.sleep(0.02)


@pytest.fixture
def generator(shop_url: str, tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts the generator as a process of its own, on the test's shop."""
    settings = tmp_path / "pipeline.toml"
    settings.write_text(
        '[kafka]\nbootstrap = "none"\n[registry]\nurl = "none"\n[catalog]\nwarehouse = "none"\n'
        f'[spark]\ncheckpoints = "none"\n[shop]\nurl = "{shop_url}"\n'
    )
    started: list[subprocess.Popen[str]] = []

    def start(*arguments: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "headwater.pipeline.generator", "--settings", str(settings), *arguments]
        started.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=os.environ.copy()))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_it_makes_the_tables_and_writes_the_orders_asked_for(shop_url: str) -> None:
    assert generate(shop_url, Plan(orders=1234, fast=True, seed=1), threading.Event()) == 1234
    ((orders, suppliers, distinct),) = rows(
        shop_url, "SELECT count(*), array_agg(DISTINCT supplier), count(DISTINCT order_id) FROM orders"
    )
    assert orders == distinct == 1234
    assert set(suppliers) == set(SUPPLIERS)
    ((bids,),) = rows(shop_url, "SELECT count(*) FROM bids")
    assert 1000 < bids < 1500


def test_a_second_run_goes_on_with_the_numbers_of_the_first(shop_url: str) -> None:
    for _ in range(2):
        generate(shop_url, Plan(orders=10, fast=True), threading.Event())
    keys = [key for (key,) in rows(shop_url, "SELECT order_id FROM orders ORDER BY order_id")]
    assert keys == [f"order-{serial:010}" for serial in range(1, 21)]


def test_generators_that_run_at_once_never_collide(shop_url: str) -> None:
    plan = Plan(orders=2_000, fast=True)
    threads = [threading.Thread(target=generate, args=(shop_url, plan, threading.Event())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert count(shop_url) == 6_000


def test_fast_orders_have_the_times_of_the_rate_and_follow_those_before(shop_url: str) -> None:
    generate(shop_url, Plan(orders=100, rate=10, fast=True), threading.Event())
    generate(shop_url, Plan(orders=100, rate=10, fast=True), threading.Event())
    ((first, between, last),) = rows(
        shop_url,
        "SELECT min(bid_time), min(bid_time) FILTER (WHERE order_id > 'order-0000000100'), max(bid_time) FROM orders",
    )
    now = datetime.now(UTC).replace(tzinfo=None)
    assert timedelta(seconds=8) < last - first < timedelta(seconds=13)
    assert now - timedelta(seconds=10) < last <= now
    assert last - between < timedelta(seconds=5), "the second run starts where the first ended"


@pytest.mark.parametrize(("rate", "elapsed", "due"), [(10, 0.0, 1), (10, 0.95, 10), (10, 100.0, 1001), (0.5, 1.9, 1)])
def test_the_pace_counts_from_its_start(rate: float, elapsed: float, due: int) -> None:
    now = [5.0]
    pace = Pace(rate, lambda: now[0])
    now[0] += elapsed
    assert pace.due() == due
    pace.done = due
    assert pace.due() == 0
    assert pace.wait() <= max(0.1, 1 / rate)


def test_after_an_outage_the_pace_does_not_make_up_for_what_was_missed() -> None:
    now = [0.0]
    pace = Pace(10, lambda: now[0])
    now[0] = 60.0
    pace.restart()
    assert pace.due() == 1


def test_orders_are_written_at_the_rate(shop_url: str) -> None:
    stop = threading.Event()
    began = time.monotonic()
    assert generate(shop_url, Plan(rate=200, orders=300), stop) == 300
    assert 1.4 < time.monotonic() - began < 10


def test_sigterm_ends_it_between_two_batches(generator: Callable[..., subprocess.Popen[str]], shop_url: str) -> None:
    process = generator("--rate", "50")
    wait_until(lambda: count(shop_url) > 20)
    process.send_signal(signal.SIGTERM)
    _, said = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0
    assert f"{count(shop_url)} orders written" in said


def test_a_lost_connection_is_taken_up_again_and_nothing_is_written_twice(
    generator: Callable[..., subprocess.Popen[str]], shop_url: str
) -> None:
    process = generator("--rate", "2000", "--orders", "6000")
    base, _, name = shop_url.rpartition("/")
    with psycopg.connect(f"{base}/postgres", autocommit=True) as server:
        for reached in (500, 2_500, 4_500):
            wait_until(lambda reached=reached: count(shop_url) >= reached)  # type: ignore[misc]
            server.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE datname = %s AND application_name = 'orders-generator'",
                [name],
            )
    _, said = process.communicate(timeout=DEADLINE)
    assert process.returncode == 0, said
    assert "trying again" in said
    assert count(shop_url) == 6_000


def test_a_wrong_password_is_an_error_that_does_not_repeat_it(shop_url: str) -> None:
    scheme, _, rest = shop_url.partition("://")
    user, host = rest.partition(":")[0], rest.rpartition("@")[2]
    with pytest.raises(ShopError, match=r"check shop\.url") as raised:
        generate(f"{scheme}://{user}:wrongsecret@{host}", Plan(orders=1), threading.Event())
    assert "wrongsecret" not in str(raised.value)


@pytest.mark.parametrize("arguments", [["--rate", "0"], ["--orders", "-1"], ["--rate", "inf"], ["--fast"]])
def test_a_plan_that_cannot_be_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        parse_plan(arguments)
    assert ended.value.code == 2
    assert arguments[0] in capsys.readouterr().err


def test_a_fast_plan_never_goes_back_before_the_newest_order() -> None:
    newest = datetime.now(UTC) - timedelta(seconds=3)
    assert clock_of(Plan(orders=1000, rate=1, fast=True), newest)() > newest
    ahead = datetime.now(UTC) + timedelta(hours=1)
    assert clock_of(Plan(orders=1000, rate=1, fast=True), ahead)() <= datetime.now(UTC)
