"""A reverse proxy that serves another server under a path, as many companies do."""

import threading
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from typing import Any

import httpx
import uvicorn

from headwater.server.run import listen
from tests.server.serving import wait_until

HOP_BY_HOP = {b"connection", b"transfer-encoding", b"host", b"keep-alive"}


class Proxy:
    """An ASGI app that passes /PREFIX/x on as /x, streams included."""

    def __init__(self, prefix: str, target: str) -> None:
        self._prefix = prefix
        self._target = target

    async def __call__(self, scope: MutableMapping[str, Any], receive: Any, send: Any) -> None:
        path: str = scope["raw_path"].decode("latin-1")
        if not path.startswith(f"{self._prefix}/"):
            await send({"type": "http.response.start", "status": 404, "headers": []})
            await send({"type": "http.response.body", "body": b"not under the prefix"})
            return
        url = self._target + path.removeprefix(self._prefix) + f"?{scope['query_string'].decode('latin-1')}"
        headers = [(name, value) for name, value in scope["headers"] if name not in HOP_BY_HOP]
        body, more = b"", True
        while more:
            message = await receive()
            body += message.get("body", b"")
            more = message.get("more_body", False)
        async with (
            httpx.AsyncClient(timeout=None) as client,
            client.stream(scope["method"], url, headers=headers, content=body) as answer,
        ):
            passed = [(name.lower(), value) for name, value in answer.headers.raw if name.lower() not in HOP_BY_HOP]
            await send({"type": "http.response.start", "status": answer.status_code, "headers": passed})
            async for chunk in answer.aiter_raw():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})


@contextmanager
def proxied(prefix: str, target: str) -> Iterator[str]:
    """Serve `target` under a prefix until the block ends; its address there."""
    listener = listen("127.0.0.1", 0)
    config = uvicorn.Config(Proxy(prefix, target), lifespan="off", log_config=None, timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        wait_until(lambda: server.started)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}{prefix}"
    finally:
        server.should_exit = True
        thread.join(20)
