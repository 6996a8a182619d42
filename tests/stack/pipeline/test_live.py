"""When the batch job runs while the pipeline does."""

from datetime import date

from headwater.stack.pipeline.live import BATCH_EVERY, ENOUGH_ORDERS, Batches, optional

MONDAY, TUESDAY = date(2026, 3, 2), date(2026, 3, 3)


def days(batches: Batches) -> list[str]:
    queued = [job.args[1] for job in batches.queue]
    batches.queue.clear()
    return queued


def test_the_batch_waits_for_enough_orders_and_then_comes_every_few_minutes() -> None:
    batches = Batches(MONDAY)
    batches.due(ENOUGH_ORDERS - 1, 0.0, MONDAY)
    assert days(batches) == []
    batches.due(ENOUGH_ORDERS, 1.0, MONDAY)
    assert days(batches) == ["2026-03-02"]
    batches.due(ENOUGH_ORDERS, BATCH_EVERY, MONDAY)
    assert days(batches) == []
    batches.due(ENOUGH_ORDERS, BATCH_EVERY + 1, MONDAY)
    assert days(batches) == ["2026-03-02"]


def test_after_midnight_the_day_that_ended_is_summed_once_more() -> None:
    batches = Batches(MONDAY)
    batches.due(ENOUGH_ORDERS, 1_000.0, TUESDAY)
    assert days(batches) == ["2026-03-02", "2026-03-03"]
    batches.due(ENOUGH_ORDERS, 2_000.0, TUESDAY)
    assert days(batches) == ["2026-03-03"]


def test_what_is_queued_is_done_before_more_is() -> None:
    batches = Batches(MONDAY)
    batches.due(ENOUGH_ORDERS, 1_000.0, MONDAY)
    batches.due(ENOUGH_ORDERS, 2_000.0, MONDAY)
    assert days(batches) == ["2026-03-02"]


def test_a_flag_without_a_value_is_left_out() -> None:
    assert optional("--seed", None) == ()
    assert optional("--seed", 0) == ("--seed", "0")
