"""A Connect worker's API with as many connectors as wanted, for bench/connect.py: python -m bench.connect_worker.

Besides what a worker answers: GET /asked counts the requests so far, and POST /fail/NAME has a connector's tasks fail.
"""

import argparse
import asyncio
import json
from collections import Counter
from typing import Any

TASKS = 3
TRACE = (
    "org.apache.kafka.connect.errors.ConnectException: it failed\n" + "\tat org.example.Task.run(Task.java:1)\n" * 20
)


class Worker:
    """The connectors as the bytes of the list, made once."""

    def __init__(self, connectors: int) -> None:
        self.asked: Counter[str] = Counter()
        self.entries = {f"sink-{n:04}": _entry(f"sink-{n:04}", "RUNNING") for n in range(connectors)}

    def answer(self, method: str, path: str) -> bytes:
        """The body of the answer to a request."""
        match path.partition("?")[0].strip("/").split("/"):
            case [""]:
                return b'{"version": "4.3.1", "commit": "bench", "kafka_cluster_id": "bench"}'
            case ["asked"]:
                return json.dumps(self.asked).encode()
            case ["fail", name]:
                self.entries[name] = _entry(name, "FAILED")
                return b"{}"
            case ["connectors"] if "expand" in path:
                self.asked["list"] += 1
                listed = b",".join(b'"%s":%s' % (name.encode(), entry) for name, entry in self.entries.items())
                return b"{" + listed + b"}"
            case ["connectors"]:
                self.asked["names"] += 1
                return json.dumps(list(self.entries)).encode()
            case ["connectors", name, noun]:
                self.asked[noun] += 1
                return json.dumps(
                    {name: {"topics": [f"topic-{name}"]}} if noun == "topics" else {"offsets": []}
                ).encode()
        return b"{}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one connection until it is closed."""
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                method, path, _ = head.split(b"\r\n", 1)[0].decode().split()
                body = self.answer(method, path)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()


def _entry(name: str, state: str) -> bytes:
    """A connector with settings of a usual size."""
    trace = {"trace": TRACE} if state == "FAILED" else {}
    tasks = [{"id": n, "state": state, "worker_id": "10.0.0.1:8083", **trace} for n in range(TASKS)]
    status = {
        "name": name,
        "connector": {"state": "RUNNING", "worker_id": "10.0.0.1:8083"},
        "tasks": tasks,
        "type": "sink",
    }
    config: dict[str, Any] = {
        "connector.class": "io.aiven.connect.jdbc.JdbcSinkConnector",
        "name": name,
        "tasks.max": str(TASKS),
        "topics": f"topic-{name}",
        "connection.url": "jdbc:postgresql://db:5432/shop",
        "connection.user": "shop",
        "connection.password": "${file:/etc/secrets:password}",
        "key.converter": "org.apache.kafka.connect.storage.StringConverter",
        "value.converter": "org.apache.kafka.connect.json.JsonConverter",
        **{f"some.setting.number.{n}": f"a value of some length for it, {n}" for n in range(25)},
    }
    listed = [{"connector": name, "task": n} for n in range(TASKS)]
    return json.dumps(
        {"status": status, "info": {"name": name, "config": config, "tasks": listed, "type": "sink"}}
    ).encode()


async def main() -> None:
    """Serve until killed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--connectors", type=int, default=1000)
    options = parser.parse_args()
    server = await asyncio.start_server(Worker(options.connectors).serve, "127.0.0.1", options.port)
    async with server:
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
