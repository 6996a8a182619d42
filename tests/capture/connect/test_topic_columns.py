"""The columns of a topic."""

from headwater.capture.connect.schemas.record import Field, RecordSchema, TopicSchemas, primitive
from headwater.capture.connect.topic_columns import columns, record_of
from headwater.capture.connect.transforms.flow import walk
from tests.capture.connect.cases import record


def told(schemas: TopicSchemas) -> list[tuple[str, str]]:
    """Each column of a topic, and the column that its records say it is."""
    found = record_of("t", schemas)
    return [(path, use.path) for path, column in walk(columns(found.key, found.value)) for use in column.uses]


def test_a_topic_has_the_fields_of_its_value_and_its_key() -> None:
    assert told(TopicSchemas(record("long"), record("id long, to struct(city string)"))) == [
        ("id", "id"),
        ("to", "to"),
        ("to.city", "to.city"),
        ("key", "key"),
    ]


def test_a_key_that_is_a_record_has_its_fields_inside() -> None:
    assert told(TopicSchemas(record("a long, b long"), record("id long"))) == [
        ("id", "id"),
        ("key.a", "key.a"),
        ("key.b", "key.b"),
    ]


def test_a_key_has_another_name_where_the_value_has_a_field_called_key() -> None:
    assert told(TopicSchemas(record("long"), record("key string"))) == [("key", "key"), ("__key", "__key")]


def test_a_value_that_is_no_record_is_the_value() -> None:
    assert told(TopicSchemas(None, primitive("string"))) == [("value", "value")]


def test_a_value_that_is_an_array_is_the_value() -> None:
    many = RecordSchema((Field("", "array", fields=(Field("_element", "struct", fields=(Field("id", "long"),)),)),))
    assert told(TopicSchemas(None, many)) == [("value", "value"), ("value.id", "value.id")]


def test_what_is_in_an_array_has_the_arrays_path() -> None:
    schemas = TopicSchemas(
        None, record("lines array(_element struct(sku string)), tags map(key string, value struct(n int))")
    )
    assert told(schemas) == [
        ("lines", "lines"),
        ("lines.sku", "lines.sku"),
        ("tags", "tags"),
        ("tags.n", "tags.n"),
    ]


def test_a_topic_that_nothing_is_known_of_has_no_columns() -> None:
    assert told(TopicSchemas(problem="the registry is down")) == []
    assert record_of("t", TopicSchemas(problem="the registry is down")).value.partial == "the registry is down"
