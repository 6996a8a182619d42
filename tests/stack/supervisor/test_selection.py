import pytest

from headwater.errors import HeadwaterError
from headwater.stack.services import SERVICES
from headwater.stack.supervisor.selection import choose, choose_dependents, port_names
from tests.stack.small import small_service

CHAIN = (
    small_service("connect", needs=("kafka", "registry")),
    small_service("kafka"),
    small_service("registry", needs=("postgres",)),
    small_service("postgres"),
)


@pytest.mark.parametrize(
    ("given", "chosen"),
    [
        ([], ["kafka", "postgres", "registry", "connect"]),
        (["registry"], ["postgres", "registry"]),
        (["kafka", "connect"], ["kafka", "postgres", "registry", "connect"]),
    ],
)
def test_what_is_needed_comes_first(given: list[str], chosen: list[str]) -> None:
    assert [service.name for service in choose(CHAIN, given)] == chosen


@pytest.mark.parametrize(
    ("given", "chosen"),
    [([], 4), (["kafka"], ["kafka", "connect"]), (["postgres"], ["postgres", "registry", "connect"])],
)
def test_with_a_service_go_those_that_need_it(given: list[str], chosen: list[str] | int) -> None:
    found = [service.name for service in choose_dependents(CHAIN, given)]
    assert found == chosen or len(found) == chosen


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(HeadwaterError, match="no service 'zookeeper'; known are: connect, kafka"):
        choose(CHAIN, ["zookeeper"])
    with pytest.raises(HeadwaterError, match="did you mean 'kafka'"):
        choose_dependents(CHAIN, ["kafca"])


def test_every_real_service_has_a_port_and_no_two_the_same() -> None:
    ports = [port for service in SERVICES for port in port_names(service.name)]
    assert all(port_names(service.name) for service in SERVICES)
    assert len(ports) == len(set(ports)) == 9
