from pathlib import Path

import pytest

from headwater.capture.connect.cluster import Cluster
from headwater.capture.connect.life_cycle import Run
from headwater.capture.connect.memory import AlreadyWatched, Memory, Remembered
from headwater.capture.connect.status import State

CLUSTER = Cluster("connect:8083", "http://admin:hunter2@connect:8083")
RUN = Run("run1", 1, "v1", State.PAUSED, 2, State.PAUSED, job="orders", failed=(0, 2))


def test_what_is_saved_is_what_the_next_agent_knows(tmp_path: Path) -> None:
    with Memory(tmp_path / "new", CLUSTER) as memory:
        assert memory.load() == Remembered()
        memory.save(Remembered("kafka", {"orders": RUN}))
    with Memory(tmp_path / "new", CLUSTER) as memory:
        assert memory.load() == Remembered("kafka", {"orders": RUN})


def test_only_one_agent_at_a_time_has_it(tmp_path: Path) -> None:
    with Memory(tmp_path, CLUSTER):
        with pytest.raises(AlreadyWatched, match="another agent watches") as raised:
            Memory(tmp_path, CLUSTER)
        Memory(tmp_path, Cluster("other:8083", "http://other:8083")).__exit__()
    assert "hunter2" not in str(raised.value)
    Memory(tmp_path, CLUSTER).__exit__()


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"runs": {"a": {"id": 1}}}', b"\xff"])
def test_a_file_that_cannot_be_read_is_as_none(tmp_path: Path, content: bytes) -> None:
    with Memory(tmp_path, CLUSTER) as memory:
        memory.file.write_bytes(content)
        assert memory.load() == Remembered()


def test_the_password_of_a_worker_is_nowhere_in_it_and_nobody_else_may_read_it(tmp_path: Path) -> None:
    with Memory(tmp_path, CLUSTER) as memory:
        memory.save(Remembered("kafka", {"orders": RUN}))
        assert memory.file.stat().st_mode & 0o077 == 0
        assert "hunter2" not in memory.file.name + memory.file.read_text()
        first = memory.file
    with Memory(tmp_path, Cluster("connect:8083", "http://admin:other@connect:8083")) as memory:
        assert memory.file == first
