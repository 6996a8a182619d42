from datetime import UTC, datetime

import pytest

from headwater.pipeline.objects import Store, StoreError, put, signed_headers
from headwater.pipeline.settings import PipelineSettings

# The example of AWS's own documentation.
EXAMPLE = Store(
    endpoint="https://s3.amazonaws.com",
    region="us-east-1",
    access_key="AKIAIOSFODNN7EXAMPLE",
    secret_key="wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    path_style=False,
)


def test_a_request_is_signed_as_aws_documents_it() -> None:
    url = "https://examplebucket.s3.amazonaws.com/?lifecycle="
    headers = signed_headers(EXAMPLE, "GET", url, b"", datetime(2013, 5, 24, tzinfo=UTC))
    assert headers["Authorization"].endswith(
        "Signature=fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"
    )


@pytest.mark.parametrize(
    ("store", "url"),
    [
        (
            Store(endpoint="http://s:9000", region="r", access_key="a", secret_key="b"),
            "http://s:9000/b/d%3D1/o%2B1.json",
        ),
        (EXAMPLE, "https://b.s3.amazonaws.com/d%3D1/o%2B1.json"),
        (
            Store(endpoint="", region="eu-west-1", access_key="a", secret_key="b"),
            "https://s3.eu-west-1.amazonaws.com/b/d%3D1/o%2B1.json",
        ),
    ],
)
def test_an_object_has_an_address_in_either_style(store: Store, url: str) -> None:
    assert store.url("b", "d=1/o+1.json") == url


def test_a_session_token_is_signed_too() -> None:
    store = Store(endpoint="http://s", region="r", access_key="a", secret_key="b", session_token="t")
    headers = signed_headers(store, "PUT", "http://s/b/k", b"", datetime(2026, 1, 1, tzinfo=UTC))
    assert headers["x-amz-security-token"] == "t"
    assert "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token" in headers["Authorization"]


def test_a_secret_is_not_part_of_what_is_printed() -> None:
    assert EXAMPLE.secret_key not in repr(EXAMPLE)


def test_a_store_that_does_not_answer_is_tried_again_and_then_named() -> None:
    store = Store(endpoint="http://127.0.0.1:1", region="r", access_key="a", secret_key="b")
    pauses: list[float] = []
    with pytest.raises(StoreError, match=r"no answer from the object store to PUT http://127.0.0.1:1/b/k: .*running\?"):
        put(store, "b", "k", b"", sleep=pauses.append)
    assert pauses == [0.5, 1.0, 2.0, 4.0]


def test_a_store_that_refuses_is_not_asked_again(pipeline_settings: PipelineSettings) -> None:
    s3 = pipeline_settings.s3
    store = Store(endpoint=s3.endpoint, region=s3.region, access_key=s3.access_key, secret_key="wrong-secret")
    with pytest.raises(StoreError, match=r"answered 403 \(SignatureDoesNotMatch\) to PUT .*; check s3") as refused:
        put(store, "fh-dev-bucket", "k", b"", sleep=lambda pause: pytest.fail("it was asked again"))
    assert "wrong-secret" not in str(refused.value)
