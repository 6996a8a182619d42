"""Topics before their routers: found backwards where the settings allow it, and always checked forwards."""

import pytest

from headwater.capture.connect.transforms import Transform, chain_of, may_have_others, topic_after, topics_before

ROUTER = "org.apache.kafka.connect.transforms.RegexRouter"


def chain(*routers: tuple[str, str]) -> tuple[Transform, ...]:
    config = {"transforms": ",".join(f"r{n}" for n in range(len(routers)))}
    for n, (regex, replacement) in enumerate(routers):
        own = {"type": ROUTER, "regex": regex, "replacement": replacement}
        config |= {f"transforms.r{n}.{key}": value for key, value in own.items()}
    return chain_of(config)


BACK = [
    ([(r"shop\.public\.(.*)", "$1")], "orders", ["shop.public.orders", "orders"]),
    ([(r"shop.public.(.*)", "$1")], "orders", ["shop.public.orders", "orders"]),
    ([(r"(\w+)\.(\w+)\.(\w+)", "$3-$2")], "orders-public", ["orders-public"]),
    ([(r"([a-z]+)\.([a-z]+)", "$2.$1")], "public.orders", ["orders.public"]),
    ([(r"(.*)", "all")], "all", ["all"]),
    ([(r"a", "b"), (r"b", "c")], "c", ["a", "b", "c"]),
    ([(r"a-(.*)", "b-$1"), (r"b-(.*)", "c-$1")], "c-x", ["a-x", "b-x", "c-x"]),
    ([(r"(.*)-(.*)", "$1$1")], "xx", ["xx"]),
    ([(r"[a-z]+\.(.*)", "$1")], "orders", ["orders"]),
    ([(r"a|b", "c")], "c", ["c"]),
    ([(r"(", "x")], "x", ["x"]),
]


@pytest.mark.parametrize(("routers", "topic", "expected"), BACK)
def test_a_topic_before_its_routers_is_found_where_it_can_be(
    routers: list[tuple[str, str]], topic: str, expected: list[str]
) -> None:
    found = topics_before(chain(*routers), topic)
    assert found == expected
    assert all(topic_after(chain(*routers), each) == topic for each in found)


@pytest.mark.parametrize(
    ("router", "topic", "others"),
    [
        ((r"shop\.public\.(.*)", "$1"), "orders", False),
        ((r"(.*)orders_.*", "$1orders"), "shop.orders", True),
        ((r"(.*)orders_.*", "$1orders"), "shop.bids", False),
        ((r".*", "all"), "all", True),
    ],
)
def test_a_topic_may_have_others_where_a_router_forgets_what_it_was(
    router: tuple[str, str], topic: str, others: bool
) -> None:
    assert bool(may_have_others(chain(router), topic)) is others


def test_many_routers_and_many_groups_take_no_time() -> None:
    twice = [(f"(.*)a{n}", f"$1a{n + 1}") for n in range(30)]
    assert "xa0" in topics_before(chain(*twice), "xa30")
    groups = "".join(f"(.{n})" for n in range(9)), "$1$2$3$4$5$6$7$8$9!"
    assert topics_before(chain(groups), "x" * 249) == ["x" * 249]
