"""Hearing of a method before it is called."""

from headwater.capture.spark.wrapping import before


class Query:
    def __init__(self) -> None:
        self.done: list[str] = []

    @property
    def state(self) -> str:
        """How it is."""
        return f"well, {len(self.done)} done"

    def stop(self, how: str = "well") -> str:
        """Stop it."""
        self.done.append(f"stopped {how}")
        return how


def test_somebody_hears_of_a_call_before_it_happens_until_that_is_taken_back() -> None:
    original, query = Query.stop, Query()
    restore = before(Query, "stop", lambda each: each.done.append("told"))
    assert query.stop(how="now") == "now"
    assert Query.stop.__doc__ == "Stop it."
    restore()
    query.stop()
    assert query.done == ["told", "stopped now", "stopped well"]
    assert Query.stop is original


def test_somebody_hears_of_a_property_before_it_is_read_until_that_is_taken_back() -> None:
    original, query = Query.state, Query()
    restore = before(Query, "state", lambda each: each.done.append("told"))
    assert query.state == "well, 1 done"
    restore()
    assert query.state == "well, 1 done"
    assert Query.state is original


def test_a_listener_that_fails_does_not_keep_the_call_from_happening() -> None:
    restore = before(Query, "stop", lambda each: 1 / 0)
    query = Query()
    assert query.stop() == "well"
    restore()


def test_of_two_listeners_each_can_be_taken_back_in_any_order() -> None:
    original, query = Query.stop, Query()
    first = before(Query, "stop", lambda each: each.done.append("first"))
    second = before(Query, "stop", lambda each: each.done.append("second"))
    first()
    query.stop()
    assert query.done == ["second", "stopped well"]
    second()
    query.stop()
    assert query.done == ["second", "stopped well", "stopped well"]
    Query.stop = original  # type: ignore[method-assign]
