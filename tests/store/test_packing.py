"""Packing: whatever is stored is read back."""

from concurrent.futures import ThreadPoolExecutor

from hypothesis import given
from hypothesis import strategies as st

from headwater.store.packing import pack, unpack


@given(st.lists(st.text() | st.integers()).map(lambda made: repr(made).encode()))
def test_what_is_packed_is_read_back(data: bytes) -> None:
    assert unpack(pack(data)) == data


def test_any_length_around_the_limit_is_read_back() -> None:
    for length in range(400):
        assert unpack(pack(b"x" * length)) == b"x" * length


def test_repetition_is_small() -> None:
    assert len(pack(b'{"name":"column"},' * 10_000)) < 1_000


def test_a_rejected_body_that_looks_packed_is_read_back() -> None:
    looks_packed = b"\x28\xb5\x2f\xfd not a frame"
    assert unpack(pack(looks_packed)) == looks_packed


def test_a_large_body_is_read_back() -> None:
    data = b"[" + b"1234567890," * 2_000_000 + b"1]"
    assert unpack(pack(data)) == data


def test_many_threads_may_unpack_at_once() -> None:
    packed = [pack(str(n).encode() * 1_000) for n in range(50)]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(unpack, packed)) == [str(n).encode() * 1_000 for n in range(50)]
