"""What a number, bytes or text stands for, by the name that Connect or Debezium gave its schema."""

from collections.abc import Mapping
from typing import Any

CONNECT, TIME, DATA = "org.apache.kafka.connect.data.", "io.debezium.time.", "io.debezium.data."
NAMES = {
    CONNECT + "Date": "date",
    CONNECT + "Time": "time-millis",
    CONNECT + "Timestamp": "timestamp-millis",
    TIME + "Date": "date",
    TIME + "Time": "time-millis",
    TIME + "MicroTime": "time-micros",
    TIME + "NanoTime": "time-nanos",
    TIME + "ZonedTime": "time-with-zone",
    TIME + "Timestamp": "timestamp-millis",
    TIME + "MicroTimestamp": "timestamp-micros",
    TIME + "NanoTimestamp": "timestamp-nanos",
    TIME + "ZonedTimestamp": "timestamp-with-zone",
    TIME + "Interval": "interval",
    TIME + "MicroDuration": "interval",
    TIME + "Year": "year",
    DATA + "Bits": "bits",
    DATA + "Enum": "enum",
    DATA + "EnumSet": "enum",
    DATA + "Json": "json",
    DATA + "Ltree": "ltree",
    DATA + "Uuid": "uuid",
    DATA + "Xml": "xml",
    DATA + "VariableScaleDecimal": "decimal",
    DATA + "geometry.Point": "point",
    DATA + "geometry.Geometry": "geometry",
    DATA + "geometry.Geography": "geography",
}
DECIMAL = CONNECT + "Decimal"
PRECISION = "connect.decimal.precision"


def semantic(name: Any, parameters: Any, plain: str) -> str:
    """The type that a schema of this name stands for; the plain type if the name says nothing."""
    known = parameters if isinstance(parameters, Mapping) else {}
    column = known.get("__debezium.source.column.type")
    if isinstance(column, str) and column:
        return _sized(column.lower(), known)
    if name == DECIMAL:
        scale = known.get("scale", "0")
        precision = known.get(PRECISION)
        return f"decimal({precision},{scale})" if precision else f"decimal(38,{scale})"
    return NAMES.get(name, plain) if isinstance(name, str) else plain


def _sized(column: str, parameters: Mapping[Any, Any]) -> str:
    length, scale = (parameters.get(f"__debezium.source.column.{part}") for part in ("length", "scale"))
    if not length:
        return column
    return f"{column}({length},{scale})" if scale else f"{column}({length})"
