"""Decoding events: what is taken as it is, and what is refused with the field and the value named."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
import textwrap
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headwater.openlineage.events import (
    BadEvent,
    Event,
    decode_batch,
    decode_event,
    encode_event,
    format_time,
    parse_time,
    run_uuid,
)

RUN_EVENT: dict[str, Any] = {
    "eventTime": "2026-01-31T12:00:00Z",
    "eventType": "START",
    "producer": "https://example.com/tests",
    "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json",
    "run": {"runId": "00000000-0000-0000-0000-000000000001", "facets": {}},
    "job": {"namespace": "etl", "name": "load", "facets": {}},
    "inputs": [{"namespace": "db", "name": "orders", "facets": {}, "inputFacets": {}}],
    "outputs": [{"namespace": "db", "name": "report", "facets": {}, "outputFacets": {}}],
}
JOB_EVENT = {key: RUN_EVENT[key] for key in ("eventTime", "producer", "schemaURL", "job", "inputs", "outputs")}
DATASET_EVENT = {
    **{key: RUN_EVENT[key] for key in ("eventTime", "producer", "schemaURL")},
    "dataset": {"namespace": "db", "name": "orders", "facets": {}},
}


def changed(event: dict[str, Any], path: str, value: Any) -> bytes:
    """The event with another value at a path such as inputs.0.name; `...` takes it away."""
    made = copy.deepcopy(event)
    *parents, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    node: Any = made
    for part in parents:
        node = node[part]
    if value is ...:
        del node[last]
    else:
        node[last] = value
    return json.dumps(made).encode()


def refused(body: bytes) -> BadEvent:
    with pytest.raises(BadEvent) as caught:
        decode_event(body)
    return caught.value


def decoded(body: bytes) -> Event | BadEvent:
    try:
        return decode_event(body)
    except BadEvent as error:
        return error


# -- what is taken ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("event", "kind"),
    [(RUN_EVENT, "START"), (JOB_EVENT, "JOB"), (DATASET_EVENT, "DATASET")],
    ids=["run", "job", "dataset"],
)
def test_the_parts_of_an_event_tell_its_kind(event: dict[str, Any], kind: str) -> None:
    body = json.dumps(event).encode()
    decoded = decode_event(body)
    assert (decoded.type, decoded.body, decoded.time) == (kind, body, parse_time("2026-01-31T12:00:00Z"))


# Releases of the core differ in what they require and allow; all of these are events.
OTHER_SHAPES = {
    "without an eventType": ("eventType", ...),
    "with a null eventType": ("eventType", None),
    "without a producer": ("producer", ...),
    "without a schemaURL": ("schemaURL", ...),
    "without inputs": ("inputs", ...),
    "with null inputs": ("inputs", None),
    "with null outputs": ("outputs", None),
    "with null run facets": ("run.facets", None),
    "with null job facets": ("job.facets", None),
    "with null dataset facets": ("inputs.0.facets", None),
    "with null input facets": ("inputs.0.inputFacets", None),
    "with null output facets": ("outputs.0.outputFacets", None),
    "without facets": ("run.facets", ...),
    "with an unknown field": ("tomorrow", {"any": "thing"}),
    "with an unknown field of the job": ("job.tomorrow", [1, 2]),
    "with an empty namespace": ("job.namespace", ""),
    "with an empty dataset namespace": ("inputs.0.namespace", ""),
    "with a facet that is no object": ("run.facets", {"odd": 7}),
}


@pytest.mark.parametrize(("path", "value"), OTHER_SHAPES.values(), ids=OTHER_SHAPES.keys())
def test_an_event_of_any_release_is_taken(path: str, value: Any) -> None:
    assert isinstance(decode_event(changed(RUN_EVENT, path, value)), Event)


def test_facets_stay_the_bytes_that_were_sent() -> None:
    facet = b'{ "b" : 1.10,\t"a":"\\u00e9\\/", "n" : 123456789012345678901234567890 , "e":1E+2}'
    body = json.dumps(RUN_EVENT).encode().replace(b'"facets": {}}, "job"', b'"facets": {"odd":' + facet + b'}}, "job"')
    event = decode_event(body)
    assert event.run is not None
    assert event.run.facets is not None
    assert bytes(event.run.facets["odd"]) == facet
    assert event.body == body


def test_the_last_of_two_equal_keys_counts() -> None:
    body = changed(RUN_EVENT, "eventType", "START").replace(b'"eventType"', b'"eventType": "FAIL", "eventType"')
    assert decode_event(body).type == "START"


HOSTILE = [
    "a:b", "a/b//c", "a.b.c", "a#b", " a b ", "🚀", "ünïcödé", "a\nb\tc", '"quoted"', "%25%3A", "'; DROP TABLE job; --",
    "e\u0301 is not \u00e9", "\u202eright to left", "null", "0", "\ufffe",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_a_name(name: str) -> None:
    event = decode_event(changed(RUN_EVENT, "job.name", name))
    assert event.job is not None
    assert event.job.name == name


def test_equal_bytes_have_equal_hashes_and_others_do_not() -> None:
    one, two = changed(RUN_EVENT, "job.name", "a"), changed(RUN_EVENT, "job.name", "b")
    assert decode_event(one).hash == decode_event(one).hash != decode_event(two).hash


def test_an_event_of_our_own_is_as_if_it_had_been_sent() -> None:
    event = encode_event({key: RUN_EVENT[key] for key in ("eventTime", "eventType", "run", "job")})
    assert event.producer
    assert decode_event(event.body) == event


# -- what is refused -------------------------------------------------------------------------------

LONG = "x" * 100_000

# Path to change, what to put there, the field that the answer names, and a part of the value that it shows.
WRONG: list[tuple[dict[str, Any], str, Any, str, str]] = [
    (RUN_EVENT, "eventTime", ..., "eventTime", "missing"),
    (RUN_EVENT, "eventTime", None, "eventTime", "null"),
    (RUN_EVENT, "eventTime", 1767225600, "eventTime", "1767225600"),
    (RUN_EVENT, "eventTime", "", "eventTime", ""),
    (RUN_EVENT, "eventTime", "yesterday", "eventTime", "yesterday"),
    (RUN_EVENT, "eventTime", "2026-13-01T00:00:00Z", "eventTime", "2026-13-01"),
    (RUN_EVENT, "eventTime", "9999-12-31T23:59:59-23:59", "eventTime", "9999"),
    (RUN_EVENT, "eventType", "BEGIN", "eventType", "BEGIN"),
    (RUN_EVENT, "eventType", 1, "eventType", "1"),
    (RUN_EVENT, "producer", {}, "producer", "{}"),
    (RUN_EVENT, "run", "1", "run", '"1"'),
    (RUN_EVENT, "run", [], "run", "[]"),
    (RUN_EVENT, "run.runId", ..., "run.runId", "missing"),
    (RUN_EVENT, "run.runId", None, "run.runId", "null"),
    (RUN_EVENT, "run.runId", 7, "run.runId", "7"),
    (RUN_EVENT, "run.runId", "", "run.runId", ""),
    (RUN_EVENT, "run.runId", "a\0b", "run.runId", "\\x00"),
    (RUN_EVENT, "run.facets", [], "run.facets", "[]"),
    (RUN_EVENT, "run.facets", "none", "run.facets", '"none"'),
    (RUN_EVENT, "job", ..., "job", "missing"),
    (RUN_EVENT, "job", None, "job", "missing"),
    (RUN_EVENT, "job", "load", "job", '"load"'),
    (RUN_EVENT, "job.name", ..., "job.name", "missing"),
    (RUN_EVENT, "job.name", None, "job.name", "null"),
    (RUN_EVENT, "job.name", ["load"], "job.name", '["load"]'),
    (RUN_EVENT, "job.name", "a\0b", "job.name", "\\x00"),
    (RUN_EVENT, "job.name", LONG, "job.name", "xxx"),
    (RUN_EVENT, "job.namespace", ..., "job.namespace", "missing"),
    (RUN_EVENT, "job.namespace", 1.5, "job.namespace", "1.5"),
    (RUN_EVENT, "job.namespace", "\0", "job.namespace", "\\x00"),
    (RUN_EVENT, "job.namespace", LONG, "job.namespace", "xxx"),
    (RUN_EVENT, "job.facets", 0, "job.facets", "0"),
    (RUN_EVENT, "inputs", {}, "inputs", "{}"),
    (RUN_EVENT, "inputs.0", "orders", "inputs[0]", '"orders"'),
    (RUN_EVENT, "inputs.0.name", ..., "inputs[0].name", "missing"),
    (RUN_EVENT, "inputs.0.name", True, "inputs[0].name", "true"),
    (RUN_EVENT, "inputs.0.name", "a\0", "inputs[0].name", "\\x00"),
    (RUN_EVENT, "inputs.0.name", LONG, "inputs[0].name", "xxx"),
    (RUN_EVENT, "inputs.0.namespace", None, "inputs[0].namespace", "null"),
    (RUN_EVENT, "inputs.0.facets", "x", "inputs[0].facets", '"x"'),
    (RUN_EVENT, "inputs.0.inputFacets", [1], "inputs[0].inputFacets", "[1]"),
    (RUN_EVENT, "outputs", "report", "outputs", '"report"'),
    (RUN_EVENT, "outputs.0.name", 12, "outputs[0].name", "12"),
    (RUN_EVENT, "outputs.0.namespace", ..., "outputs[0].namespace", "missing"),
    (RUN_EVENT, "outputs.0.namespace", "\0", "outputs[0].namespace", "\\x00"),
    (RUN_EVENT, "outputs.0.outputFacets", False, "outputs[0].outputFacets", "false"),
    (JOB_EVENT, "job", ..., "run", "missing"),
    (JOB_EVENT, "job.name", 1, "job.name", "1"),
    (DATASET_EVENT, "dataset", [], "dataset", "[]"),
    (DATASET_EVENT, "dataset.name", ..., "dataset.name", "missing"),
    (DATASET_EVENT, "dataset.name", "a\0", "dataset.name", "\\x00"),
    (DATASET_EVENT, "dataset.name", LONG, "dataset.name", "xxx"),
    (DATASET_EVENT, "dataset.namespace", {}, "dataset.namespace", "{}"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("event", "path", "value", "field", "shown"), WRONG, ids=[f"{case[1]} is {case[4] or 'empty'}" for case in WRONG]
)
def test_a_wrong_field_is_named_with_its_value(
    event: dict[str, Any], path: str, value: Any, field: str, shown: str
) -> None:
    error = refused(changed(event, path, value))
    assert (error.status, error.field) == (422, field)
    assert shown in error.value
    assert field in str(error)
    assert len(str(error)) < 1_000


def test_a_wrong_value_of_any_length_makes_a_short_answer() -> None:
    error = refused(changed(RUN_EVENT, "eventType", LONG))
    assert error.field == "eventType"
    assert len(str(error)) < 1_000
    assert len(error.value) < 1_000


WHOLE = json.dumps(RUN_EVENT).encode()
MALFORMED = {
    "nothing": b"",
    "spaces": b"  ",
    "text": b"hello",
    "half an event": WHOLE[: len(WHOLE) // 2],
    "two events": WHOLE + WHOLE,
    "a byte order mark": b"\xef\xbb\xbf" + WHOLE,
    "UTF-16": WHOLE.decode().encode("utf-16"),
    "invalid UTF-8 in a name": WHOLE.replace(b"load", b"lo\xffad"),
    "invalid UTF-8 in a facet": WHOLE.replace(b'"facets": {}', b'"facets": {"x": "\xff"}', 1),
    "invalid UTF-8 in a field nobody reads": WHOLE.replace(b'"eventTime"', b'"tomorrow": "\xc3\x28", "eventTime"'),
    "half a surrogate pair in a name": WHOLE.replace(b"load", b"\\ud800"),
    "the other half": WHOLE.replace(b"load", b"\\udc00 load"),
    "a bare NUL": WHOLE.replace(b"load", b"lo\0ad"),
    "NaN": WHOLE.replace(b'"facets": {}', b'"facets": {"x": NaN}', 1),
    "a control character in text": WHOLE.replace(b"load", b"lo\nad"),
    "a trailing comma": WHOLE.replace(b'"facets": {}}', b'"facets": {},}', 1),
}


@pytest.mark.parametrize("body", MALFORMED.values(), ids=MALFORMED.keys())
def test_what_is_no_json_is_refused_as_such(body: bytes) -> None:
    error = refused(body)
    assert error.status == 400
    assert len(error.value) <= 120


@pytest.mark.parametrize("body", [b"[]", b"7", b'"text"', b"null", b"true"])
def test_json_that_is_no_object_is_refused(body: bytes) -> None:
    error = refused(body)
    assert (error.status, error.field) == (422, "$")


def test_an_empty_object_is_refused() -> None:
    assert refused(b"{}").field == "eventTime"


@pytest.mark.parametrize("depth", [100, 2_000, 1_000_000])
def test_nesting_of_any_depth_is_taken_or_refused_but_never_breaks(depth: int) -> None:
    for deep in (b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth):
        in_facet = decoded(WHOLE.replace(b'"facets": {}', b'"facets": {"deep": %s}' % deep, 1))
        assert isinstance(in_facet, Event) or in_facet.status == 400
        unread = decoded(WHOLE.replace(b'"eventTime"', b'"tomorrow": %s, "eventTime"' % deep))
        assert isinstance(unread, Event) or unread.status == 400
        misplaced = decoded(changed(RUN_EVENT, "eventTime", "here").replace(b'"here"', deep))
        assert isinstance(misplaced, BadEvent)


@given(st.binary(max_size=200))
def test_no_bytes_break_the_decoder(body: bytes) -> None:
    with pytest.raises(BadEvent):
        decode_event(body)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
PLACES = [
    "eventTime", "eventType", "producer", "run", "run.runId", "run.facets", "job", "job.namespace", "job.name",
    "job.facets", "inputs", "inputs.0", "inputs.0.namespace", "inputs.0.name", "inputs.0.facets", "outputs",
    "outputs.0.outputFacets",
]  # fmt: skip


@given(st.sampled_from(PLACES), JSON)
def test_any_json_in_any_place_is_an_event_or_a_named_error(path: str, value: Any) -> None:
    body = changed(RUN_EVENT, path, value)
    event = decoded(body)
    if isinstance(event, BadEvent):
        assert event.field
        assert event.status in (400, 422)
    else:
        assert event.body == body


# -- batches ---------------------------------------------------------------------------------------


def test_each_event_of_a_batch_stands_for_itself() -> None:
    good, bad = WHOLE, changed(RUN_EVENT, "job.name", 7)
    first, second, third = decode_batch(b"[%s , %s,\n%s]" % (good, bad, json.dumps(DATASET_EVENT).encode()))
    assert isinstance(first, Event)
    assert first.body == good
    assert isinstance(second, BadEvent)
    assert second.field == "job.name"
    assert isinstance(third, Event)
    assert third.type == "DATASET"


def test_an_empty_batch_has_no_events() -> None:
    assert decode_batch(b" [ ] ") == []


@pytest.mark.parametrize(
    ("body", "status"), [(b"{}", 422), (b"", 400), (b"[1,", 400), (b"[" * 100_000, 400), (b"7", 422)]
)
def test_a_batch_that_is_no_array_is_refused(body: bytes, status: int) -> None:
    with pytest.raises(BadEvent) as caught:
        decode_batch(body)
    assert caught.value.status == status


def test_an_odd_member_of_a_batch_is_refused_alone() -> None:
    odd, good = decode_batch(b"[null, %s]" % WHOLE)
    assert isinstance(odd, BadEvent)
    assert isinstance(good, Event)


# -- times and run ids -----------------------------------------------------------------------------


@given(st.datetimes(min_value=datetime(1, 1, 2), max_value=datetime(9999, 12, 30)))
def test_a_time_is_read_back_as_it_was_written(moment: datetime) -> None:
    text = moment.isoformat() + "Z"
    assert datetime.fromisoformat(format_time(parse_time(text))) == moment.replace(tzinfo=UTC)
    assert parse_time(format_time(parse_time(text))) == parse_time(text)


@pytest.mark.parametrize(
    ("text", "same_as"),
    [
        ("2026-01-31T12:00:00.1234567Z", "2026-01-31T12:00:00.123456Z"),
        ("2026-01-31T12:00:00.1Z", "2026-01-31T12:00:00.100000Z"),
        ("2026-01-31T12:00:00", "2026-01-31T12:00:00Z"),
        ("2026-01-31T12:00Z", "2026-01-31T12:00:00Z"),
        ("2026-01-31T17:30:00+05:30", "2026-01-31T12:00:00Z"),
        ("2026-01-31t12:00:00z", "2026-01-31T12:00:00Z"),
        ("1969-12-31T23:59:59.999999Z", "1969-12-31T23:59:59.999999+00:00"),
    ],
)
def test_one_instant_may_be_written_in_many_ways(text: str, same_as: str) -> None:
    assert parse_time(text) == parse_time(same_as)


def test_milliseconds_are_shown_unless_there_is_more_to_say() -> None:
    assert format_time(0) == "1970-01-01T00:00:00.000Z"
    assert format_time(1) == "1970-01-01T00:00:00.000001Z"
    assert format_time(-1) == "1969-12-31T23:59:59.999999Z"


@given(st.text(min_size=1, max_size=50) | st.text("0123456789abcdefABCDEF- ", min_size=36, max_size=36))
def test_every_run_id_is_sixteen_bytes_always_the_same(run_id: str) -> None:
    assert len(run_uuid(run_id)) == 16
    assert run_uuid(run_id) == run_uuid(run_id)


def test_a_uuid_is_its_own_bytes_whatever_its_case() -> None:
    text = "abcdef01-2345-6789-abcd-ef0123456789"
    assert run_uuid(text) == run_uuid(text.upper()) == bytes.fromhex(text.replace("-", ""))


@pytest.mark.parametrize(
    ("near", "uuid"),
    [
        ("12345678-1234-1234-1234-12345678----", "12345678-1234-1234-1234-123456780000"),
        ("  345678-1234-1234-1234-123456789012", "00345678-1234-1234-1234-123456789012"),
        ("{12345678-1234-1234-1234-123456789012}", "12345678-1234-1234-1234-123456789012"),
    ],
)
def test_what_only_looks_like_a_uuid_is_a_run_of_its_own(near: str, uuid: str) -> None:
    assert len(run_uuid(near)) == 16
    assert run_uuid(near) != run_uuid(uuid)


# -- size ------------------------------------------------------------------------------------------


def test_an_event_of_20_mb_is_decoded_within_three_times_its_size() -> None:
    program = """
        import resource, sys
        from headwater.openlineage.events import decode_event
        facet = b'{"_producer":"p","_schemaURL":"s","rows":[' + b'{"name":"column","value":1.5},' * 700_000 + b'0]}'
        body = (
            b'{"eventTime":"2026-01-31T12:00:00Z","eventType":"START","run":{"runId":"1","facets":{"big":' + facet
            + b'}},"job":{"namespace":"etl","name":"load"}}'
        )
        del facet
        assert len(body) > 20_000_000
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        event = decode_event(body)
        after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert len(event.run.facets["big"]) > 20_000_000
        print((after - before) * 1024 // len(body))
    """
    answer = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)], capture_output=True, text=True, check=True
    )
    assert int(answer.stdout) <= 2
