import os
import signal
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

import msgspec
import pytest

from headwater.capture.destination import Destination
from headwater.capture.emitter import Emitter, Stats, encode, open_emitter
from headwater.capture.place import DEFAULT_LIMIT, outbox_directory, outbox_limit
from headwater.errors import SettingError
from tests.capture.backends import takes_one, told, wait_for
from tests.capture.making import event
from tests.capture.processes import finished, running
from tests.server.serving import free_port


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "outbox"


# -- emitting --------------------------------------------------------------------------------------


class Struct(msgspec.Struct):
    job: dict[str, str]


@dataclass
class Data:
    job: dict[str, str]


@pytest.mark.parametrize(
    "given",
    [
        {"job": {"name": "job-1"}},
        MappingProxyType({"job": MappingProxyType({"name": "job-1"})}),
        b'{"job":{"name":"job-1"}}',
        '  {"job":{"name":"job-1"}}\n',
        bytearray(b'{"job":{"name":"job-1"}}'),
        Struct({"name": "job-1"}),
        Data({"name": "job-1"}),
    ],
    ids=lambda given: type(given).__name__,
)
def test_an_event_may_be_given_in_many_forms(given: object) -> None:
    assert encode(given) == b'{"job":{"name":"job-1"}}'


@pytest.mark.parametrize("given", [b"{", b"[]", "text", None, 7, {"a": object()}, {1j: 2}, [{}]])
def test_what_is_no_event_is_said_and_counted_and_raises_nothing(
    given: object, root: Path, caplog: pytest.LogCaptureFixture
) -> None:
    emitter = Emitter(None, root)
    assert emitter.emit(given) is False
    assert emitter.stats() == Stats(dropped=1)
    assert "cannot be delivered" in caplog.text
    emitter.close(0)


def test_an_event_that_no_backend_takes_for_its_size_is_said(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    emitter = Emitter(None, root)
    assert emitter.emit({"job": "x" * 70_000_000}) is False
    assert "70000010 bytes" in caplog.text
    emitter.close(0)


def test_counts_tell_what_became_of_events(root: Path) -> None:
    with told(lambda request: (422, {}, b"no") if b"job-3" in request.body else takes_one(request)) as backend:
        emitter = Emitter(Destination(backend.url), root)
        for each in range(5):
            emitter.emit(event(each))
        assert emitter.flush(30)
        assert emitter.stats() == Stats(written=5, sent=4, rejected=1, waiting=0, dropped=0)
        emitter.emit(event(6))
        assert emitter.close(30)
        assert emitter.stats() == Stats(written=6, sent=5, rejected=1, waiting=0, dropped=0)


def test_an_emitter_that_was_closed_starts_again_with_the_next_event(root: Path) -> None:
    with told(takes_one) as backend:
        emitter = Emitter(Destination(backend.url), root)
        for each in range(3):
            emitter.emit(event(each))
            assert emitter.close(30)
    assert backend.taken == [0, 1, 2]
    assert emitter.stats().sent == 3


def test_closing_while_others_emit_loses_nothing(root: Path) -> None:
    with told() as backend:
        emitter = Emitter(Destination(backend.url), root)
        threads = [
            threading.Thread(target=lambda i=i: [emitter.emit(event(each)) for each in range(i * 300, i * 300 + 300)])
            for i in range(4)
        ]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            emitter.close(10)
        assert emitter.close(30)
        last = Emitter(Destination(backend.url), root)
        assert last.flush(30, everything=True)
        last.close()
    assert sorted(set(backend.taken)) == list(range(1200))


def test_time_that_is_left_at_the_end_goes_to_what_others_have_left(root: Path) -> None:
    with told() as backend:
        gone = Emitter(None, root)
        for each in range(700):
            gone.emit(event(each))
        gone.close(0)
        emitter = Emitter(Destination(backend.url), root)
        emitter.emit(event(700))
        assert emitter.close(30)
    assert sorted(backend.taken) == list(range(701))
    assert os.listdir(root) == []


def test_an_emitter_that_is_switched_off_does_nothing(root: Path) -> None:
    env = {"OPENLINEAGE_DISABLED": "true", "HEADWATER_OUTBOX": str(root)}
    emitter = open_emitter(env, root.parent)
    assert emitter.emit(event(1)) is False
    assert emitter.close()
    assert not root.exists()


# -- settings --------------------------------------------------------------------------------------


def test_without_a_destination_events_wait_and_the_next_process_sends_them(
    root: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    env = {"HEADWATER_OUTBOX": str(root), "HOME": str(tmp_path)}
    emitter = open_emitter({**env, "OPENLINEAGE_URL": "lineage:5000"}, tmp_path)
    assert emitter.emit(event(1))
    assert not emitter.close(0.2)
    assert "url is 'lineage:5000' in OPENLINEAGE_URL; expected an address" in caplog.text
    assert str(root) in caplog.text
    with told(takes_one) as backend:
        right = open_emitter({**env, "OPENLINEAGE_URL": backend.url}, tmp_path)
        assert right.flush(30, everything=True)
        right.close()
    assert backend.taken == [1]


@pytest.mark.parametrize(
    ("env", "directory"),
    [
        ({"HEADWATER_OUTBOX": "/data/box", "XDG_STATE_HOME": "/state"}, "/data/box"),
        ({"XDG_STATE_HOME": "/state", "HOME": "/home/me"}, "/state/headwater/outbox"),
        ({"XDG_STATE_HOME": "relative", "HOME": "/home/me"}, "/home/me/.local/state/headwater/outbox"),
        ({"HOME": "/home/me"}, "/home/me/.local/state/headwater/outbox"),
    ],
)
def test_the_outbox_is_where_state_is_kept(env: dict[str, str], directory: str) -> None:
    assert outbox_directory(env) == Path(directory)


def test_the_size_of_the_outbox_is_a_number_of_mb() -> None:
    assert outbox_limit({}) == DEFAULT_LIMIT == 1 << 30
    assert outbox_limit({"HEADWATER_OUTBOX_MB": "50"}) == 50 << 20
    for wrong in ("0", "-1", "1 GB", "1.5"):
        with pytest.raises(SettingError, match="HEADWATER_OUTBOX_MB is"):
            outbox_limit({"HEADWATER_OUTBOX_MB": wrong})


# -- the end of a process --------------------------------------------------------------------------

SHORT = """
    from headwater.capture.emitter import open_emitter
    from tests.capture.making import event
    emitter = open_emitter()
    for number in range(20):
        emitter.emit(event(number))
"""


TIMED_END = """
    import atexit, time
    from headwater.capture.emitter import open_emitter
    from tests.capture.making import event
    atexit.register(lambda: print(time.monotonic() - ended))  # the first to be registered runs last
    emitter = open_emitter()
    for number in range(20):
        emitter.emit(event(number))
    ended = time.monotonic()
"""


def environment(monkeypatch: pytest.MonkeyPatch, root: Path, url: str) -> None:
    monkeypatch.setenv("OPENLINEAGE_URL", url)
    monkeypatch.setenv("HEADWATER_OUTBOX", str(root))


def test_a_short_job_ends_with_its_events_delivered(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with told() as backend:
        environment(monkeypatch, root, backend.url)
        finished(SHORT)
    assert backend.taken == list(range(20))
    assert os.listdir(root) == []


def test_a_short_job_is_not_held_up_by_a_backend_that_is_away(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    environment(monkeypatch, root, f"http://127.0.0.1:{free_port()}")
    out, _ = finished(TIMED_END)
    assert float(out) < 3
    with told() as backend:
        emitter = Emitter(Destination(backend.url), root, adopt_all=True)
        assert emitter.flush(30, everything=True)
        emitter.close()
    assert backend.taken == list(range(20))


def test_a_backend_that_hangs_holds_a_job_up_for_a_bounded_time(root: Path) -> None:
    release = threading.Event()

    def hangs(request: Any) -> tuple[int, dict[str, str], bytes]:
        release.wait(60)
        return 201, {}, b""

    with told(hangs) as backend:
        emitter = Emitter(Destination(backend.url), root)
        emitter.emit(event(1))
        wait_for(lambda: backend.requests)
        before = time.monotonic()
        assert not emitter.close(0.5)
        assert time.monotonic() - before < 3
        release.set()


# -- forks and signals -----------------------------------------------------------------------------

FORKS = """
    import os, sys
    from pathlib import Path
    from headwater.capture.emitter import open_emitter
    from tests.capture.making import event
    emitter = open_emitter()
    for number in range(100):
        emitter.emit(event(number))
    child = os.fork()
    if child == 0:
        for number in range(100, 200):
            emitter.emit(event(number))
        os._exit(0 if emitter.close(20) and emitter.stats().sent == 100 else 1)
    for number in range(200, 300):
        emitter.emit(event(number))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert emitter.close(20)
"""


def test_a_forked_child_delivers_its_own_events_and_leaves_the_parents_alone(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with told() as backend:
        environment(monkeypatch, root, backend.url)
        finished(FORKS)
    assert sorted(backend.taken) == list(range(300))
    assert os.listdir(root) == []


HOLDS = """
    import os, sys, time
    from headwater.capture.emitter import open_emitter
    from tests.capture.making import event
    emitter = open_emitter()
    emitter.emit(event(1))
    if os.fork() == 0:
        print(os.getpid(), flush=True)
        os.close(1)
        time.sleep(60)
    os.kill(os.getpid(), 9)
"""


def test_a_child_that_outlives_a_killed_parent_does_not_keep_its_events(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    environment(monkeypatch, root, f"http://127.0.0.1:{free_port()}")
    with running(HOLDS) as process, told() as backend:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        try:
            wait_for(lambda: process.poll() is not None)
            emitter = Emitter(Destination(backend.url), root, adopt_all=True)
            assert emitter.flush(30, everything=True)
            emitter.close()
        finally:
            os.kill(child, signal.SIGKILL)
    assert backend.taken == [1]


SIGNALS = """
    import signal
    from headwater.capture.emitter import open_emitter
    from tests.capture.making import event
    emitter = open_emitter()
    numbers = iter(range(1_000_000))
    interrupted = 0
    def handler(*_):
        global interrupted
        interrupted += 1
        emitter.emit(event(next(numbers)))
        # Set again only now: on a busy machine a handler may take longer than the timer, and would interrupt itself.
        signal.setitimer(signal.ITIMER_REAL, 0.0005)
    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.0005)
    while interrupted < 500:
        emitter.emit(event(next(numbers)))
    signal.setitimer(signal.ITIMER_REAL, 0)
    assert emitter.close(60)
    print(next(numbers))
"""


def test_a_signal_handler_may_emit_in_the_middle_of_an_emit(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with told() as backend:
        environment(monkeypatch, root, backend.url)
        out, _ = finished(SIGNALS)
    assert sorted(backend.taken) == list(range(int(out)))
