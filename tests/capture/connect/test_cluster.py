import pytest

from headwater.capture.connect.cluster import Cluster, parse_clusters
from headwater.errors import SettingError


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ([], []),
        (["", " "], []),
        (["http://connect:8083/"], [Cluster("connect:8083", "http://connect:8083")]),
        (["https://connect"], [Cluster("connect:443", "https://connect")]),
        (["http://u:p@connect:8083"], [Cluster("connect:8083", "http://u:p@connect:8083")]),
        (
            ["http://a:8083", "http://b:8083", "eu=http://c:8083/kafka"],
            [
                Cluster("a:8083", "http://a:8083"),
                Cluster("b:8083", "http://b:8083", "b:8083"),
                Cluster("eu", "http://c:8083/kafka", "eu"),
            ],
        ),
        (
            ["eu=http://a:8083", "http://b:8083"],
            [Cluster("eu", "http://a:8083", "eu"), Cluster("b:8083", "http://b:8083")],
        ),
    ],
)
def test_the_first_without_a_name_keeps_the_namespace_and_the_others_add_theirs(
    written: list[str], expected: list[Cluster]
) -> None:
    assert list(parse_clusters(written)) == expected


@pytest.mark.parametrize("written", ["localhost:8083", "ftp://connect", "http://", "http://[", "eu=connect"])
def test_what_is_no_address_is_refused_with_an_example(written: str) -> None:
    with pytest.raises(SettingError, match="http://localhost:8083"):
        parse_clusters([written])


def test_a_password_in_a_wrong_address_is_not_shown() -> None:
    with pytest.raises(SettingError) as raised:
        parse_clusters(["ftp://u:hunter2@connect"])
    assert "hunter2" not in str(raised.value)


def test_two_clusters_cannot_have_one_name() -> None:
    with pytest.raises(SettingError, match="'eu'"):
        parse_clusters(["eu=http://a:8083", "eu=http://b:8083"])
