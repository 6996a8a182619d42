"""Objects of Scala and Java, as Python wants them."""

from __future__ import annotations

from typing import Any

import msgspec
from py4j.protocol import Py4JError

from headwater.capture.spark.plan import types


def listed(items: Any) -> list[Any]:
    """A Scala sequence."""
    return [items.apply(number) for number in range(items.size())]


def opened(option: Any) -> Any:
    """What is in a Scala Option; None if nothing is."""
    return option.get() if option is not None and option.isDefined() else None


def mapped(items: Any) -> dict[str, str]:
    """A Scala map."""
    found, entries = {}, items.iterator()
    while entries.hasNext():
        entry = entries.next()
        found[str(entry._1())] = str(entry._2())
    return found


def kind(thing: Any) -> str:
    """The class of an object without what it is in: KafkaTable, ConsoleTable."""
    name: str = thing.getClass().getName()
    return name.rpartition(".")[2].rstrip("$").rpartition("$")[2]


def told(thing: Any, method: str) -> Any:
    """What a method without arguments gives; None if there is no object, no such method or no JVM, or it fails."""
    try:
        return None if thing is None else getattr(thing, method)()
    except Exception:  # py4j's, those that PySpark makes of Spark's own, and of a connection to a JVM that is gone
        return None


def field(thing: Any, name: str) -> Any:
    """A field that has no accessor; AttributeError if no class above has it either."""
    above = thing.getClass()
    while above is not None:
        try:
            found = above.getDeclaredField(name)
        except Py4JError:
            above = above.getSuperclass()
        else:
            found.setAccessible(True)
            return found.get(thing)
    raise AttributeError(f"{kind(thing)} has no field {name}")


def struct_type(schema: Any) -> types.Type:
    """A StructType as the plan reader has types."""
    return msgspec.json.decode(schema.json())
