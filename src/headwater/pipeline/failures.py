"""What went wrong in Spark, in one line without its hundred lines of stack."""

import re

from py4j.protocol import Py4JJavaError as JavaError

__all__ = ["JavaError", "first_line", "last_cause"]


def first_line(error: BaseException) -> str:
    """The first line of what an error says, whichever side of the gateway it comes from."""
    said = error.java_exception.getMessage() if isinstance(error, JavaError) else str(error)
    return (said or type(error).__name__).strip().partition("\n")[0]


def last_cause(error: BaseException) -> str:
    """What an error comes down to: the end of the Python traceback in it, if it crossed into the JVM and back."""
    raised = re.findall(r"^(?:\w+\.)*\w*(?:Error|Exception|UnknownSchema): .+", str(error), re.MULTILINE)
    return raised[-1] if raised and "Traceback (most recent call last)" in str(error) else first_line(error)
