from tests.cli.conftest import Server, run


def test_what_is_found_comes_with_the_node_that_lineage_takes(server: Server) -> None:
    found = {
        "type": "DATASET",
        "namespace": "shop",
        "name": "public.orders",
        "nodeId": "dataset:shop:public.orders",
        "updatedAt": "2026-01-31T08:00:00Z",
    }
    server.says("/api/v1/search?q=a%26b&limit=20", {"results": [found], "totalCount": 1})
    lines = run("search", "a&b").stdout.splitlines()
    assert lines[1].split() == [
        "▤",
        "public.orders",
        "shop",
        "2026-01-31",
        "08:00:00",
        "dataset:shop:public.orders",
    ]


def test_a_search_can_be_narrowed(server: Server) -> None:
    server.says("/api/v1/search?q=x&limit=5&namespace=shop&filter=JOB", {"results": [], "totalCount": 0})
    result = run("search", "x", "--kind", "job", "--namespace", "shop", "--limit", "5")
    assert result.stdout == "nothing matches 'x'\n"


def test_json_is_the_answer_of_the_server_to_the_byte(server: Server) -> None:
    body = server.says("/api/v1/search?q=x&limit=20", b'{"results": [], "totalCount": 0}')
    assert run("search", "x", "--json").stdout_bytes == body + b"\n"
