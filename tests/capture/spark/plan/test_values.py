"""What is known of values inside a plan, and of the columns they are made of."""

from headwater.capture.spark.plan.uses import (
    AGGREGATION,
    CONDITIONAL,
    GROUP_BY,
    IDENTITY,
    INDIRECT,
    TRANSFORMATION,
    Origin,
    Use,
    aggregated,
    indirect,
    transformed,
)
from headwater.capture.spark.plan.values import NULL, Value, column, either, field_of, noting, part, parts, struct

PLACE = {"type": "struct", "fields": [{"name": "city", "type": "string"}, {"name": "zip", "type": "string"}]}
A, B = Origin(0, "a"), Origin(1, "b")


def test_a_calculation_changes_an_identity_and_nothing_stronger() -> None:
    uses = frozenset({Use(A), Use(B, subtype=AGGREGATION), Use(B, INDIRECT, CONDITIONAL)})
    assert transformed(uses) == {
        Use(A, subtype=TRANSFORMATION),
        Use(B, subtype=AGGREGATION),
        Use(B, INDIRECT, CONDITIONAL),
    }


def test_an_aggregate_of_a_calculation_is_an_aggregate() -> None:
    assert aggregated(transformed(frozenset({Use(A)}))) == {Use(A, subtype=AGGREGATION)}


def test_a_hash_hides_the_value_for_good() -> None:
    hidden = transformed(frozenset({Use(A)}), masking=True)
    assert transformed(hidden) == hidden == {Use(A, subtype=TRANSFORMATION, masking=True)}


def test_what_decides_about_a_deciding_column_decides_too() -> None:
    uses = frozenset({Use(A), Use(B, INDIRECT, CONDITIONAL)})
    assert indirect(uses, GROUP_BY) == {Use(A, INDIRECT, GROUP_BY), Use(B, INDIRECT, GROUP_BY)}


def test_a_field_of_a_column_is_the_columns_path_and_the_fields_name() -> None:
    city = part(column(Origin(0, "customer.address"), PLACE), 0)
    assert city.uses == {Use(Origin(0, "customer.address.city"))}


def test_a_field_of_either_of_two_structs_is_that_field_of_both() -> None:
    made = struct({"city": column(A), "zip": column(B)})
    both = either([column(Origin(2, "place"), PLACE), made])
    assert dict(parts(both))["city"].uses == {Use(Origin(2, "place.city")), Use(A)}


def test_a_null_tells_nothing_of_what_else_a_value_may_be() -> None:
    place = column(Origin(0, "place"), PLACE)
    assert either([NULL, place, NULL]) is place
    assert either([]) is NULL


def test_what_decides_about_a_struct_decides_about_each_of_its_fields() -> None:
    decided = noting(struct({"a": column(A)}), frozenset({Use(B, INDIRECT, CONDITIONAL)}))
    assert part(decided, 0).uses == {Use(A, subtype=IDENTITY), Use(B, INDIRECT, CONDITIONAL)}


def test_a_field_of_records_from_two_sources_is_of_both() -> None:
    assert field_of(frozenset({A, B}), "price").uses == {Use(Origin(0, "price")), Use(Origin(1, "price"))}


def test_a_field_that_a_struct_does_not_have_may_be_all_of_it() -> None:
    assert part(struct({"a": column(A)}), 7).uses == {Use(A, subtype=TRANSFORMATION)}
    assert part(Value(frozenset({Use(A)})), 0, "x").uses == {Use(A)}
