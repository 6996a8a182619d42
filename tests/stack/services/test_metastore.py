import socket
import struct

import pytest

from headwater.stack.lab import Lab
from headwater.stack.services.metastore import ask_status, database, folders
from tests.stack.real import kill, start
from tests.stack.small import free_port

STRING, STRUCT, LIST, STOP = 11, 12, 15, b"\0"


def text(value: str) -> bytes:
    return struct.pack("!i", len(value)) + value.encode()


def field(kind: int, number: int, content: bytes) -> bytes:
    return struct.pack("!bh", kind, number) + content


def call(lab: Lab, method: str, arguments: bytes = b"") -> bytes:
    """The first bytes of the answer to a call in Thrift's binary protocol, after its header."""
    with socket.create_connection(("127.0.0.1", lab.ports["metastore"]), 30) as connection:
        connection.sendall(struct.pack("!I", 0x80010001) + text(method) + struct.pack("!i", 0) + arguments + STOP)
        answer = connection.recv(65536)
    header = len(text(method)) + 8
    assert answer[:4] == b"\x80\x01\x00\x02", f"{method} failed: {answer!r}"
    return answer[header:]


def create_database(lab: Lab, name: str, location: str) -> None:
    inside = field(STRING, 1, text(name)) + field(STRING, 3, text(location)) + STOP
    assert call(lab, "create_database", field(STRUCT, 1, inside)) == STOP


def databases(lab: Lab) -> list[str]:
    answer = call(lab, "get_all_databases")
    assert answer[:3] == field(LIST, 0, b"")
    count, rest = struct.unpack("!i", answer[4:8])[0], answer[8:]
    names = []
    for _ in range(count):
        end = 4 + struct.unpack("!i", rest[:4])[0]
        names.append(rest[4:end].decode())
        rest = rest[end:]
    return sorted(names)


def test_a_database_in_the_warehouse_is_there_after_the_metastore_was_killed(real_lab: Lab) -> None:
    start(real_lab, "metastore")
    create_database(real_lab, "kept", "s3://warehouse/kept.db")
    assert (folders(real_lab) / "kept.db").is_dir()
    kill(real_lab, "metastore")
    start(real_lab, "metastore")
    assert databases(real_lab) == ["default", "kept"]


def test_locks_can_be_taken(real_lab: Lab) -> None:
    start(real_lab, "metastore")
    # Iceberg locks a table when it commits, for which Hive needs tables that it does not make by itself.
    i32, i64 = 8, 10
    component = field(i32, 1, struct.pack("!i", 3)) + field(i32, 2, struct.pack("!i", 2))
    component += field(STRING, 3, text("default")) + field(STRING, 4, text("orders"))
    listed = struct.pack("!bi", STRUCT, 1) + component + STOP
    request = field(LIST, 1, listed) + field(STRING, 3, text("somebody")) + field(STRING, 4, text("somewhere")) + STOP
    answer = call(real_lab, "lock", field(STRUCT, 1, request))
    response = answer.removeprefix(field(STRUCT, 0, b""))
    assert response != answer, "the answer is an error"
    assert response.startswith(field(i64, 1, b""))


def test_a_database_whose_making_was_cut_short_is_made_again(real_lab: Lab, lab: Lab) -> None:
    half = database(lab).with_name("derby.new")
    half.mkdir(parents=True)
    (half / "service.properties").write_text("half a sen")
    new = real_lab.__class__(**{**vars(lab), "java": real_lab.java})
    start(new, "metastore")
    assert databases(new) == ["default"]
    assert not half.exists()


def test_another_kind_of_server_is_not_taken_for_a_metastore() -> None:
    with socket.create_server(("127.0.0.1", free_port())) as other:
        port = other.getsockname()[1]
        with pytest.raises(OSError, match="timed out"):
            ask_status("127.0.0.1", port)
    with pytest.raises(ConnectionRefusedError):
        ask_status("127.0.0.1", port)
