"""What health checks ask over the network: each answers None when all is well, else what is wrong in a few words."""

import base64
import socket
from collections.abc import Mapping
from http.client import HTTPException
from urllib.error import HTTPError, URLError
from urllib.request import ProxyHandler, Request, build_opener

# A check answers within two seconds, or it is no longer an answer.
PATIENCE = 1.5

# A proxy for the outside world must not be asked for our own services.
direct = build_opener(ProxyHandler({}))


def http_problem(url: str, headers: Mapping[str, str] | None = None) -> str | None:
    """What is wrong with a web address: nothing, when it answers with status 200."""
    try:
        with direct.open(Request(url, headers=dict(headers or {})), timeout=PATIENCE) as answer:
            status: int = answer.status
    except HTTPError as error:
        status = error.code
        error.close()
    except (OSError, HTTPException) as error:
        return reason(error)
    return None if status == 200 else f"answers with HTTP status {status}"


def login(user: str, password: str) -> dict[str, str]:
    """The header with which a user and a password are given to a web server."""
    return {"Authorization": "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()}


def tcp_problem(host: str, port: int) -> str | None:
    """What is wrong with a port: nothing, when someone accepts a connection."""
    try:
        socket.create_connection((host, port), PATIENCE).close()
    except OSError as error:
        return reason(error)
    return None


def reason(error: Exception) -> str:
    """An error of the network in a few words."""
    if isinstance(error, URLError) and isinstance(error.reason, Exception):
        error = error.reason
    if isinstance(error, ConnectionRefusedError):
        return "does not listen yet"
    if isinstance(error, TimeoutError):
        return "does not answer"
    return f"does not answer: {error}"
