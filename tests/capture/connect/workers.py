"""A Connect worker's API without the worker, for what a real one cannot be made to do at will; and its real answers."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec

from headwater.capture.connect.status import Status

ANSWERS = Path(__file__).parent.parent.parent / "fixtures" / "connect-rest"
CLUSTER_ID = "MkU3OEVBNTcwNTJENDM2Qk"
TRACE = """org.apache.kafka.connect.errors.ConnectException: Tolerance exceeded in error handler
\tat org.apache.kafka.connect.runtime.WorkerTask.run(WorkerTask.java:298)
Caused by: org.example.Wrapper: went wrong
\tat org.example.Wrapper.run(Wrapper.java:1)
Caused by: org.example.NotAuthorized: s3cret is not the password
\tat org.example.Inner.run(Inner.java:1)
\t... 13 more
"""

Said = tuple[int, Any]


def answer(name: str) -> Any:
    """A real worker's answer, as it was recorded."""
    return json.loads((ANSWERS / f"{name}.json").read_text("utf-8"))


def recorded_status(name: str) -> Status:
    """A recorded answer to GET /connectors/NAME/status."""
    return msgspec.convert(answer(name), Status)


def status(state: str = "RUNNING", *tasks: str, type: str = "sink", trace: str = TRACE) -> dict[str, Any]:
    """An answer to GET /connectors/NAME/status; a task that failed has a trace."""
    return {
        "name": "mine",
        "connector": {"state": state, "worker_id": "w:8083"},
        "tasks": [
            {"id": n, "state": task, "worker_id": "w:8083"} | ({"trace": trace} if task == "FAILED" else {})
            for n, task in enumerate(tasks)
        ],
        "type": type,
    }


@dataclass
class Fake:
    """Connectors by name, and what the worker says instead while `fault` has an answer."""

    url: str
    connectors: dict[str, dict[str, Any]] = field(default_factory=dict)
    topics: dict[str, list[str]] = field(default_factory=dict)
    offsets: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    plugins: list[dict[str, Any]] = field(default_factory=list)
    faults: dict[str, list[str]] = field(default_factory=dict)
    fault: Callable[[str], Said | bytes | None] = lambda _request: None
    asked: list[str] = field(default_factory=list)
    logins: list[str | None] = field(default_factory=list)
    cluster_id: str = CLUSTER_ID

    def has(self, name: str, *tasks: str, state: str = "RUNNING", type: str = "sink", **config: str) -> None:
        """Give it a connector; dots in the names of settings are written as __."""
        settings = {key.replace("__", "."): value for key, value in config.items()}
        defaults = {"name": name, "connector.class": "org.example.Sink", "topics": "orders"}
        self.connectors[name] = {
            "status": status(state, *(tasks or ("RUNNING",)), type=type) | {"name": name},
            "info": {"name": name, "config": defaults | settings, "tasks": [], "type": type},
        }

    def says(self, name: str, *tasks: str, state: str = "RUNNING") -> None:
        """Have a connector be in another state."""
        self.connectors[name]["status"] = status(state, *tasks, type=self.connectors[name]["status"]["type"])

    def reply(self, method: str, path: str, body: Any) -> Said:
        """The answer to a request."""
        if path == "/":
            return 200, {"version": "4.3.1", "commit": "c", "kafka_cluster_id": self.cluster_id}
        if path.startswith("/connectors?"):
            return 200, self.connectors
        if path == "/connectors":
            return 200, list(self.connectors)
        if path.startswith("/connector-plugins?"):
            return 200, self.plugins
        if path.endswith("/config/validate"):
            found = [{"value": {"name": key, "errors": said}} for key, said in self.faults.items()]
            return 200, {"configs": [*found, {"value": None}]}
        match = re.fullmatch(r"/connectors/([^/?]+)(?:/(\w+))?(?:\?.*)?", path)
        name, noun = (unquote(match[1]), match[2]) if match else ("", "")
        return self._of_connector(method, name, noun, body)

    def _of_connector(self, method: str, name: str, noun: str | None, body: Any) -> Said:
        if (method, noun) == ("PUT", "config"):
            new = name not in self.connectors
            self.has(name, **{key.replace(".", "__"): value for key, value in body.items()})
            return 201 if new else 200, self.connectors[name]["info"]
        if noun == "topics":
            return 200, {name: {"topics": self.topics.get(name, [])}}
        if name not in self.connectors:
            return 404, {"error_code": 404, "message": f"Connector {name} not found"}
        match (method, noun):
            case ("DELETE", None):
                del self.connectors[name]
                return 204, None
            case ("PUT", "pause"):
                self.says(name, "PAUSED", state="PAUSED")
            case ("PUT", "resume") | ("POST", "restart"):
                self.says(name, "RUNNING")
            case ("PUT", "stop"):
                self.says(name, state="STOPPED")
                self.connectors[name]["status"]["tasks"] = []
            case ("GET", "status"):
                return 200, self.connectors[name]["status"]
            case ("GET", "config"):
                return 200, self.connectors[name]["info"]["config"]
            case ("GET", "offsets"):
                return 200, {"offsets": self.offsets.get(name, [])}
        return 202, None


@contextmanager
def fake_worker() -> Iterator[Fake]:
    """The API on a free port."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def answer(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            request = f"{self.command} {self.path}"
            fake.asked.append(request)
            fake.logins.append(self.headers.get("Authorization"))
            instead = fake.fault(request)
            if isinstance(instead, bytes):
                return self.send(200, instead)
            code, said = instead or fake.reply(self.command, self.path, json.loads(sent or b"null"))
            return self.send(code, b"" if said is None else json.dumps(said).encode())

        do_GET = do_PUT = do_POST = do_DELETE = answer

        def send(self, code: int, body: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:
            """Keep the test's output to the test's."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        http.daemon_threads = True
        fake = Fake(f"http://127.0.0.1:{http.server_port}")
        thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield fake
        finally:
            http.shutdown()
            thread.join()
