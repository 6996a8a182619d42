"""Text made fit for an index: short, without U+0000, and still itself."""

from hypothesis import given
from hypothesis import strategies as st

from headwater.store.text import folded, indexable

ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=300)


@given(ANY_TEXT.filter(lambda text: "\0" not in text))
def test_short_text_stays_as_it_is(text: str) -> None:
    assert indexable(text, 2_000) == text


@given(ANY_TEXT, st.integers(60, 400))
def test_the_result_always_fits(text: str, longest: int) -> None:
    made = indexable(text, longest)
    assert len(made.encode()) <= longest
    assert "\0" not in made
    assert indexable(made, longest) == made


def test_two_long_texts_that_begin_alike_stay_two() -> None:
    one, two = "x" * 5_000 + "1", "x" * 5_000 + "2"
    assert indexable(one) != indexable(two)
    assert indexable(one)[:900] == one[:900]


def test_text_is_cut_between_characters() -> None:
    for width in range(4):
        made = indexable("a" * width + "🚀" * 1_000, 100)
        assert made.startswith("a" * width + "🚀")
        assert len(made.encode()) <= 100


@given(ANY_TEXT)
def test_search_matches_whatever_the_case(text: str) -> None:
    assert len(folded(text)) <= 3 * 400
    assert folded(text[:400]) == folded(text)
