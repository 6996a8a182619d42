import pytest

from headwater.capture.spark.application import engine_facets


@pytest.mark.parametrize("address", ["history:18080", "http://history:18080", "http://history:18080/"])
def test_an_application_says_where_it_can_be_looked_at_while_it_runs_and_afterwards(address: str) -> None:
    conf = {"spark.master": "yarn", "spark.yarn.historyServer.address": address}
    details = engine_facets("3.5.7", conf, "app-1", "me", "http://driver:4040")["spark_applicationDetails"]
    assert details["uiWebUrl"] == "http://driver:4040"
    assert details["historyUrl"] == "http://history:18080/history/app-1"


def test_pages_that_are_not_known_are_not_told() -> None:
    details = engine_facets("3.5.7", {"spark.master": "local[2]"}, "local-1", "me")["spark_applicationDetails"]
    assert details["master"] == "local[2]"
    assert not {"uiWebUrl", "historyUrl"} & set(details)
