"""How queries end."""

import pytest

from headwater.capture.spark.query_end import message_of, query_ending, without_secrets

BROKEN = "org.apache.spark.SparkException: Job aborted due to stage failure: no\n\tat org.apache.spark.X.y(X.scala:1)"
CANCELLED = "org.apache.spark.SparkException: Job 12 cancelled as part of cancellation of all jobs"
SHUT = "org.apache.spark.SparkException: Job 3 cancelled because SparkContext was shut down"
STOPPED = "java.lang.IllegalStateException: Cannot call methods on a stopped SparkContext."


@pytest.mark.parametrize(
    ("error", "ends_itself", "asked", "kind"),
    [
        (None, True, False, "COMPLETE"),
        (None, True, True, "ABORT"),
        (None, False, False, "ABORT"),
        (None, False, True, "ABORT"),
        (BROKEN, True, False, "FAIL"),
        (BROKEN, False, False, "FAIL"),
        (BROKEN, False, True, "ABORT"),
        (CANCELLED, False, False, "ABORT"),
        (SHUT, True, False, "ABORT"),
        (STOPPED, False, False, "ABORT"),
    ],
)
def test_a_query_completes_fails_or_is_stopped(error: str | None, ends_itself: bool, asked: bool, kind: str) -> None:
    assert query_ending(error, ends_itself=ends_itself, asked=asked).kind == kind


def test_a_failure_has_the_message_and_the_stack() -> None:
    ending = query_ending(BROKEN, ends_itself=False, asked=False)
    assert ending.message == "org.apache.spark.SparkException: Job aborted due to stage failure: no"
    assert ending.stack == BROKEN


def test_of_an_exception_in_python_its_own_words_are_the_message() -> None:
    text = """py4j.Py4JException: An exception was raised by the Python Proxy. Traceback (most recent call last):
  File "utils.py", line 120, in call
    raise e
ValueError: no such supplier

\tat py4j.Protocol.getReturnValue(Protocol.java:476)"""
    assert message_of(text) == "ValueError: no such supplier"


@pytest.mark.parametrize("text", ["", "\n \n"])
def test_a_failure_without_words_says_so(text: str) -> None:
    assert message_of(text) == "it failed and did not say why"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("password=hunter2, user=me", "password=***, user=me"),
        ("'s3.secret-access-key': 'abc/def'", "'s3.secret-access-key': ***"),
        ("jdbc:postgresql://me:hunter2@db:5432/shop", "jdbc:postgresql://me:***@db:5432/shop"),
        ('sasl.jaas.config="login required;"', "sasl.jaas.config=***"),
        ("the order has no price", "the order has no price"),
    ],
)
def test_no_secret_is_shown(text: str, shown: str) -> None:
    assert without_secrets(text) == shown
