"""OpenLineage events: decoded once, with every facet left as the bytes that were sent."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import msgspec
from msgspec import Raw, Struct

from headwater.errors import HeadwaterError

PRODUCER = "https://github.com/headwater-lineage/headwater"

RUN_TYPES = frozenset({"START", "RUNNING", "COMPLETE", "ABORT", "FAIL", "OTHER"})
JOB_EVENT, DATASET_EVENT = "JOB", "DATASET"

LONGEST_NAME = 2_000  # bytes of a namespace, a name or a run id

Facets = dict[str, Raw]


class Run(Struct):
    runId: str
    facets: Facets | None = None


class Job(Struct):
    namespace: str
    name: str
    facets: Facets | None = None


class Dataset(Struct):
    namespace: str
    name: str
    facets: Facets | None = None
    inputFacets: Facets | None = None
    outputFacets: Facets | None = None


class _Wire(Struct):
    """The published core, all versions: what tells a RunEvent from a JobEvent is which parts are there."""

    eventTime: str
    eventType: str | None = None
    producer: str | None = None
    schemaURL: str | None = None
    run: Run | None = None
    job: Job | None = None
    dataset: Dataset | None = None
    inputs: list[Dataset] | None = None
    outputs: list[Dataset] | None = None


class Event(Struct):
    """An event that can be stored: its parts, its bytes, and the hash that tells it from any other."""

    type: str  # one of RUN_TYPES, JOB_EVENT or DATASET_EVENT
    time: int  # microseconds since the epoch
    producer: str
    body: bytes
    hash: bytes
    run: Run | None
    run_uuid: bytes | None  # of `run`, in its one form
    job: Job | None
    dataset: Dataset | None
    inputs: list[Dataset]
    outputs: list[Dataset]


class BadEvent(HeadwaterError):
    """Input that is not an OpenLineage event: which field, what was there, what was expected."""

    def __init__(self, message: str, *, field: str = "", value: str = "", status: int = 422) -> None:
        super().__init__(message)
        self.field = field
        self.value = value
        self.status = status


_decoder = msgspec.json.Decoder(_Wire)
_list_decoder = msgspec.json.Decoder(list[Raw])
_UUID = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_ABSENT = re.compile(r"missing required field `(.+)`")
_MALFORMED = re.compile(r"malformed|truncated|trailing|unterminated|utf-8|surrogate|out of range", re.IGNORECASE)


def content_hash(data: bytes | Raw) -> bytes:
    """Sixteen bytes that stand for this content."""
    return hashlib.sha256(data).digest()[:16]


def decode_event(body: bytes) -> Event:
    """The event in `body`; BadEvent says what is wrong with it."""
    try:
        if not body.isascii():
            body.decode()  # facets are not looked into here, but what is stored must be text
        wire = _decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _bad(body, error) from None
    if wire.run is not None:
        if wire.job is None:
            raise _missing("job", "a RunEvent names its job: {namespace, name}")
        kind = (wire.eventType or "OTHER").upper()
        if kind not in RUN_TYPES:
            expected = ", ".join(sorted(RUN_TYPES))
            given = _shown(repr(wire.eventType))
            raise BadEvent(f"eventType is {given}, expected one of {expected}", field="eventType", value=given)
        if not wire.run.runId:
            raise BadEvent("run.runId is empty, expected a UUID", field="run.runId")
    elif wire.job is not None:
        kind = JOB_EVENT
    elif wire.dataset is not None:
        kind = DATASET_EVENT
    else:
        raise _missing("run", "an event has a run and a job, or a job, or a dataset")
    _check_names(wire)
    return Event(
        type=kind,
        time=_event_time(wire.eventTime),
        producer=wire.producer or "",
        body=body,
        hash=content_hash(body),
        run=wire.run,
        run_uuid=None if wire.run is None else run_uuid(wire.run.runId),
        job=wire.job,
        dataset=wire.dataset if kind == DATASET_EVENT else None,
        inputs=wire.inputs or [],
        outputs=wire.outputs or [],
    )


def decode_batch(body: bytes) -> list[Event | BadEvent]:
    """Each event of a JSON array, or what is wrong with it; BadEvent if `body` is no array."""
    try:
        items = _list_decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise _bad(body, error) from None
    return [_decode_or_error(bytes(item)) for item in items]


def encode_event(event: dict[str, object]) -> Event:
    """An event of our own making, as if it had been sent."""
    return decode_event(msgspec.json.encode({"producer": PRODUCER, "schemaURL": SCHEMA_URL, **event}))


SCHEMA_URL = "https://openlineage.io/spec/2-0-2/OpenLineage.json"


def _decode_or_error(body: bytes) -> Event | BadEvent:
    try:
        return decode_event(body)
    except BadEvent as error:
        return error


# -- times and run ids -----------------------------------------------------------------------------

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_EARLIEST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND
_LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // _MICROSECOND


def parse_time(text: str) -> int:
    """Microseconds since the epoch; a time without a zone is UTC."""
    moment = datetime.fromisoformat(text.upper())  # RFC 3339 allows a small t and z
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    microseconds = (moment - _EPOCH) // _MICROSECOND
    if not _EARLIEST <= microseconds <= _LATEST:
        raise OverflowError(f"{text} is not within the years 1 to 9999 in UTC")
    return microseconds


def format_time(microseconds: int) -> str:
    """ISO-8601 in UTC, to the millisecond unless there is more to say."""
    moment = _EPOCH + timedelta(microseconds=microseconds)
    precision = "microseconds" if microseconds % 1000 else "milliseconds"
    return moment.replace(tzinfo=None).isoformat(timespec=precision) + "Z"


def run_uuid(run_id: str) -> bytes:
    """The UUID of a run as sixteen bytes; an id that is no UUID has one made from it, always the same."""
    if _UUID.fullmatch(run_id):
        return bytes.fromhex(run_id.replace("-", ""))
    digest = bytearray(hashlib.md5(run_id.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest())
    digest[6] = digest[6] & 0x0F | 0x30
    digest[8] = digest[8] & 0x3F | 0x80
    return bytes(digest)


def _event_time(text: str) -> int:
    try:
        return parse_time(text)
    except (ValueError, OverflowError):
        raise BadEvent(
            f"eventTime is {_shown(text)}, expected ISO-8601 such as 2026-01-31T12:00:00.000Z",
            field="eventTime",
            value=_shown(text),
        ) from None


# -- saying what is wrong --------------------------------------------------------------------------


def _missing(field: str, rule: str) -> BadEvent:
    return BadEvent(f"{field} is missing: {rule}", field=field, value="missing")


def _bad(body: bytes, error: Exception) -> BadEvent:
    """Name the field and the value behind a decoder's complaint."""
    text = str(error)
    if not isinstance(error, msgspec.ValidationError) or _MALFORMED.search(text):
        return BadEvent(f"not JSON: {text}", field="$", value=_shown(body[:80].decode("utf-8", "replace")), status=400)
    message, _, path = text.partition(" - at `$")
    path = path.rstrip("`").lstrip(".")
    if absent := _ABSENT.search(message):
        field = f"{path}.{absent[1]}" if path else absent[1]
        return BadEvent(f"{field} is missing", field=field, value="missing")
    value = _value_at(body, path)
    return BadEvent(f"{path or 'the event'} is {value}: {_lower_first(message)}", field=path or "$", value=value)


def _value_at(body: bytes, path: str) -> str:
    try:
        node = msgspec.json.decode(body)
        for part in re.findall(r"[^.\[\]]+", path):
            node = node[int(part)] if isinstance(node, list) else node[part]
    except (msgspec.DecodeError, LookupError, TypeError, ValueError, RecursionError):
        return "unreadable"
    return _shown(msgspec.json.encode(node).decode())


def _shown(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


def _check_names(wire: _Wire) -> None:
    """No database can index a name without end, and PostgreSQL cannot store U+0000: both are refused everywhere."""
    for field, text in _names(wire):
        if len(text) > LONGEST_NAME // 4 and (size := len(text.encode())) > LONGEST_NAME:
            raise BadEvent(
                f"{field} has {size} bytes, expected at most {LONGEST_NAME}", field=field, value=_shown(text)
            )
        if "\0" in text:
            raise BadEvent(f"{field} contains U+0000, which no name may have", field=field, value=ascii(text))


def _names(wire: _Wire) -> Iterable[tuple[str, str]]:
    if wire.run is not None:
        yield "run.runId", wire.run.runId
    if wire.job is not None:
        yield "job.namespace", wire.job.namespace
        yield "job.name", wire.job.name
    if wire.dataset is not None:
        yield "dataset.namespace", wire.dataset.namespace
        yield "dataset.name", wire.dataset.name
    for side, datasets in (("inputs", wire.inputs), ("outputs", wire.outputs)):
        for index, dataset in enumerate(datasets or ()):
            yield f"{side}[{index}].namespace", dataset.namespace
            yield f"{side}[{index}].name", dataset.name
