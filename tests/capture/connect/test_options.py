"""Settings as Connect reads them."""

import pytest

from headwater.capture.connect.options import flag, java_expanded, java_pattern, listed, option, under


def test_a_list_has_no_blanks_and_no_empty_items() -> None:
    assert listed(" a, b ,,c,") == ("a", "b", "c")


def test_an_empty_setting_is_as_good_as_none() -> None:
    assert option({"a": " ", "b": " x "}, "a", "b", default="y") == "x"
    assert option({"a": ""}, "a", default="y") == "y"


@pytest.mark.parametrize(("value", "expected"), [("true", True), (" TRUE ", True), ("false", False), ("yes", True)])
def test_a_flag_that_is_neither_true_nor_false_is_what_it_is_by_default(value: str, expected: bool) -> None:
    assert flag({"a": value}, "a", True) is expected


def test_settings_below_a_prefix_have_the_rest_of_their_names() -> None:
    assert under({"a.b": "1", "a.c.d": "2", "ab": "3"}, "a.") == {"b": "1", "c.d": "2"}


EXPANSIONS = [
    (r"shop\.(\w+)\.(\w+)", "shop.public.orders", "$2-$1", "orders-public"),
    (r"(a)(b)", "ab", "$12", "a2"),
    (r"(?<first>a)(b)", "ab", "${first}!", "a!"),
    (r"(a)|(b)", "a", "[$2]", "[]"),
    (r"a", "a", r"\$1\\", "$1\\"),
    (r"a", "a", "$0", "a"),
]


@pytest.mark.parametrize(("regex", "text", "replacement", "expected"), EXPANSIONS)
def test_a_replacement_is_filled_as_java_fills_it(regex: str, text: str, replacement: str, expected: str) -> None:
    pattern = java_pattern(regex)
    assert pattern
    match = pattern.fullmatch(text)
    assert match
    assert java_expanded(match, replacement) == expected


def test_a_group_that_is_not_there_gives_nothing() -> None:
    pattern = java_pattern("a")
    match = pattern.fullmatch("a") if pattern else None
    assert match
    assert java_expanded(match, "$7") is None
    assert java_expanded(match, "${no}") is None


@pytest.mark.parametrize("regex", ["(", "[a", "*", "(?<=a*)b", r"\p{Alpha}+"])
def test_a_pattern_that_python_cannot_read_is_none(regex: str) -> None:
    assert java_pattern(regex) is None
