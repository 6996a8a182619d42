from tests.cli.conftest import Server, run

TARGET = "/api/v1/namespaces/shop/datasets?limit=100&offset=0"


def test_the_datasets_of_a_namespace_are_listed(server: Server) -> None:
    orders = {
        "name": "public.orders",
        "type": "DB_TABLE",
        "fields": [{"name": "id", "type": "INT"}, {"name": "price", "type": None}],
        "tags": ["PII"],
        "lastModifiedAt": "2026-01-31T08:00:00Z",
        "lastLifecycleState": "OVERWRITE",
    }
    server.says(TARGET, {"datasets": [orders], "totalCount": 1})
    lines = run("datasets", "shop").stdout.splitlines()
    assert lines[1].split() == [
        "▤",
        "public.orders",
        "DB_TABLE",
        "2",
        "2026-01-31",
        "08:00:00",
        "OVERWRITE",
        "PII",
    ]
    assert lines[2] == "datasets 1-1 of 1"


def test_json_is_the_answer_of_the_server_to_the_byte(server: Server) -> None:
    body = server.says(TARGET, b'{"datasets":[], "totalCount":0}')
    assert run("datasets", "shop", "--json").stdout_bytes == body + b"\n"


def test_without_a_namespace_the_ones_there_are_get_named(server: Server) -> None:
    server.says("/api/v1/namespaces?limit=10", {"namespaces": [{"name": "shop"}, {"name": "s3://lake"}]})
    result = run("datasets")
    assert result.exit_code == 1
    assert "this server has: shop, s3://lake; for example: headwater datasets 'shop'" in result.stderr
