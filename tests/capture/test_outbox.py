import os
import random
import shutil
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from headwater.capture.box import Box
from headwater.capture.outbox import Outbox
from headwater.capture.owner import list_directories
from headwater.capture.place import DEFAULT_LIMIT, MB
from headwater.capture.position import POSITION_FILE
from tests.capture.making import HERE, THERE, add, reopened, take
from tests.capture.processes import finished, running


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "outbox"


# -- what was added is there -----------------------------------------------------------------------


def test_events_come_out_in_the_order_they_went_in(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, *range(2000))
    assert outbox.waiting == 2000
    assert take(outbox) == list(range(2000))
    assert outbox.waiting == 0


def test_nothing_is_left_on_disk_when_everything_was_sent(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, 1, 2)
    take(outbox)
    outbox.close()
    assert os.listdir(root) == []


def test_what_was_not_sent_is_adopted_by_the_next_process(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, *range(10))
    assert take(outbox, 4) == [0, 1, 2, 3]
    outbox.close()
    after = reopened(root)
    assert after.waiting == 6
    assert take(after) == [4, 5, 6, 7, 8, 9]
    after.close()
    assert os.listdir(root) == []


def test_files_are_removed_as_their_events_are_sent(root: Path) -> None:
    outbox = Outbox(root, HERE, 16 * MB)  # files of 1 MB
    add(outbox, *range(500), size=10_000)
    (directory,) = list_directories(root)
    assert len(list(directory.glob("*.events"))) >= 5
    assert take(outbox) == list(range(500))
    assert len(list(directory.glob("*.events"))) == 1


def test_many_threads_may_add_at_once(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    threads = [threading.Thread(target=add, args=(outbox, *range(i * 500, i * 500 + 500))) for i in range(8)]
    for thread in threads:
        thread.start()
    found: list[int] = []
    while any(thread.is_alive() for thread in threads):
        found += take(outbox)
    found += take(outbox)
    assert sorted(found) == list(range(4000))


ADDS = """
    import sys
    from pathlib import Path
    from headwater.capture.outbox import Outbox
    from tests.capture.making import HERE, add
    outbox = Outbox(Path(sys.argv[1]), HERE, 1 << 30)
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        add(outbox, number, size=number % 3000)
        sys.stdout.write(f"{number}\\n")
        sys.stdout.flush()
"""


def test_many_processes_share_an_outbox(root: Path) -> None:
    with (
        running(ADDS, root, 0, 400) as one,
        running(ADDS, root, 400, 800) as two,
        running(ADDS, root, 800, 1200) as three,
    ):
        for process in (one, two, three):
            assert process.wait(60) == 0
    assert len(list_directories(root)) == 3
    assert sorted(take(reopened(root))) == list(range(1200))


def test_a_process_killed_at_any_moment_loses_no_event_that_was_added(root: Path) -> None:
    chance = random.Random(5)
    for _ in range(8):
        with running(ADDS, root, 0, 1_000_000) as process:
            assert process.stdout is not None
            said = [process.stdout.readline() for _ in range(chance.randrange(1, 300))]
            os.kill(process.pid, signal.SIGKILL)
            said += process.stdout.read().splitlines()
        added = [int(line) for line in said if line.strip()]
        outbox = reopened(root)
        found = take(outbox)
        # The last one may have been added without a word of it.
        assert found in (added, [*added, len(added)])
        outbox.close()


# -- who may have it -------------------------------------------------------------------------------


def test_what_a_living_process_has_is_left_to_it(root: Path) -> None:
    living = Outbox(root, HERE, DEFAULT_LIMIT)
    add(living, 1)
    other = reopened(root)
    assert other.waiting == 0
    assert take(other) == []
    assert take(living) == [1]


def test_what_is_meant_for_another_backend_waits_for_a_process_that_sends_there(root: Path) -> None:
    outbox = Outbox(root, THERE, DEFAULT_LIMIT)
    add(outbox, 1)
    outbox.close()
    assert take(reopened(root, HERE)) == []
    assert take(reopened(root, THERE)) == [1]


def test_what_was_written_before_anyone_knew_where_to_is_sent_by_whoever_knows(root: Path) -> None:
    outbox = Outbox(root, None, DEFAULT_LIMIT)
    add(outbox, 1)
    outbox.close()
    assert Outbox(root, None, DEFAULT_LIMIT).peek() is None
    assert take(reopened(root, THERE)) == [1]


def test_all_can_be_adopted_on_request(root: Path) -> None:
    outbox = Outbox(root, THERE, DEFAULT_LIMIT)
    add(outbox, 1)
    outbox.close()
    other = Outbox(root, HERE, DEFAULT_LIMIT, adopt_all=True)
    other.keep(0)
    assert take(other) == [1]


def test_only_one_process_adopts_a_box(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, 1)
    outbox.close()
    (path,) = list_directories(root)
    first = Box.adopt(path)
    assert first is not None
    assert Box.adopt(path) is None
    first.close()


def test_own_events_and_those_left_behind_take_turns(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, *range(1000))
    outbox.close()
    after = reopened(root)
    add(after, *range(1000, 2000))
    order = take(after)
    assert sorted(order) == list(range(2000))
    assert max(order.index(0), order.index(1000)) == 500


# -- damage ----------------------------------------------------------------------------------------


def test_a_damaged_position_sends_events_again_rather_than_never(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, *range(5))
    take(outbox, 3)
    outbox.close()
    (path,) = list_directories(root)
    (path / POSITION_FILE).write_bytes(b"\0" * 28)
    assert take(reopened(root)) == [0, 1, 2, 3, 4]


def test_a_torn_record_is_cut_and_the_rest_is_sent(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, *range(5))
    outbox.close()
    (file,) = next(iter(list_directories(root))).glob("*.events")
    file.write_bytes(file.read_bytes()[:-7])
    assert take(reopened(root)) == [0, 1, 2, 3]


def test_an_outbox_that_someone_removes_is_made_again(root: Path) -> None:
    outbox = Outbox(root, HERE, 16 * MB)
    add(outbox, 1)
    shutil.rmtree(root)
    add(outbox, *range(2, 200), size=20_000)  # more than one file, so that a new one has to be made
    outbox.keep(0)
    outbox.keep(2)
    assert list_directories(root) != []
    assert sorted(take(outbox)) == list(range(1, 200))


# -- the limit -------------------------------------------------------------------------------------


@pytest.fixture
def full(root: Path) -> Iterator[Outbox]:
    """An outbox of 4 MB with 5 MB in it, of which every fourth event is a START and every fifth a COMPLETE."""
    outbox = Outbox(root, HERE, 4 * MB)
    outbox.keep(0)
    for each in range(440):
        add(outbox, each, kind="COMPLETE" if each % 5 == 0 else "START" if each % 4 == 0 else "RUNNING", size=10_000)
    yield outbox
    outbox.close()


def test_over_the_limit_the_oldest_running_events_give_way(full: Outbox, caplog: pytest.LogCaptureFixture) -> None:
    before = set(range(440))
    full.keep(100)
    left = take(full)
    gone = sorted(before - set(left))
    running_events = [each for each in range(440) if each % 5 and each % 4]
    assert gone == running_events[: len(gone)]
    assert len(gone) == full.dropped
    assert 40 < len(gone) < 120
    assert left == sorted(left)
    assert f"dropped {len(gone)} RUNNING" in caplog.text
    note = msgspec.json.decode((full.root / "dropped.ndjson").read_bytes())
    assert note["dropped"] == {"RUNNING": len(gone)}


def test_when_no_running_event_is_left_the_oldest_starts_go_and_then_the_oldest_ends(root: Path) -> None:
    outbox = Outbox(root, HERE, 4 * MB)
    add(outbox, *range(100), kind="FAIL", size=10_000)
    add(outbox, *range(100, 150), kind="START", size=10_000)
    add(outbox, *range(150, 330), kind="ABORT", size=10_000)
    outbox.keep(0)
    assert take(outbox, 1) == [0]
    add(outbox, *range(330, 430), kind="COMPLETE", size=10_000)
    outbox.keep(100)
    left = take(outbox)
    assert not set(range(100, 150)) & set(left)  # every START is gone
    assert left == list(range(left[0], 100)) + list(range(150, 430))  # and the oldest ends
    assert 1 < left[0] < 100


def test_what_was_sent_takes_no_room(full: Outbox) -> None:
    assert take(full, 200) == list(range(200))
    full.keep(100)
    assert full.dropped == 0
    assert take(full) == list(range(200, 440))


def test_a_rewritten_file_is_gone_on_with_where_it_was(full: Outbox, root: Path) -> None:
    assert take(full, 10) == list(range(10))
    full.keep(100)
    first = take(full, 5)
    full.close()
    rest = take(reopened(root, limit=4 * MB))
    kept = first + rest
    assert kept == sorted(set(kept))
    assert len(kept) == 430 - full.dropped


def test_the_files_of_processes_that_are_gone_count_and_give_way_first(root: Path) -> None:
    left = Outbox(root, THERE, 4 * MB)  # which the other process does not send
    add(left, *range(300), size=10_000)
    left.close()
    outbox = Outbox(root, HERE, 4 * MB)
    outbox.keep(0)
    add(outbox, *range(300, 450), size=10_000)
    outbox.keep(100)
    assert outbox.dropped > 0
    assert take(outbox) == list(range(300, 450))
    assert take(reopened(root, THERE, 4 * MB)) == list(range(outbox.dropped, 300))


def test_what_a_living_process_holds_is_left_for_it_to_drop(root: Path) -> None:
    old, new = Outbox(root, HERE, 4 * MB), Outbox(root, HERE, 4 * MB)
    add(old, *range(300), size=10_000)
    add(new, *range(300, 450), size=10_000)
    new.keep(0)
    assert new.dropped == 0
    old.keep(0)
    assert old.dropped > 0
    assert take(old) == list(range(old.dropped, 300))


def test_far_over_the_limit_events_wait_in_memory_until_room_is_made(root: Path) -> None:
    outbox = Outbox(root, HERE, 4 * MB)
    outbox.keep(0)
    add(outbox, *range(700), size=10_000)
    size = sum(file.stat().st_size for file in root.glob("*/*.events"))
    assert size < 4.5 * MB
    for now in range(100, 110):
        outbox.keep(now)
    left = take(outbox)
    assert left == list(range(outbox.dropped, 700))
    assert sum(file.stat().st_size for file in root.glob("*/*.events")) < 4.5 * MB


# -- bad disks -------------------------------------------------------------------------------------

DISK = """
    import logging, os, subprocess, sys
    from pathlib import Path
    from headwater.capture.outbox import Outbox
    from tests.capture.making import HERE, add, reopened, take
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    disk = Path(sys.argv[1])
    def mount(*options):
        subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(disk)], check=True)
"""
FULL = """
    mount("size=1m")
    outbox = Outbox(disk / "outbox", HERE, 1 << 30)
    add(outbox, *range(300), size=10_000)            # three times what there is room for
    assert outbox.waiting == 300 and outbox.dropped == 0
    held = sum(file.stat().st_size for file in disk.glob("outbox/*/*.events"))
    assert 500_000 < held < 1_048_576, held
    assert take(outbox, 150) == list(range(150))     # from disk, then from memory
    subprocess.run(["mount", "-o", "remount,size=64m", str(disk)], check=True)
    outbox.keep(100)
    outbox.close()
    assert take(reopened(disk / "outbox")) == list(range(150, 300))
"""
READ_ONLY = """
    mount("size=1m")
    outbox = Outbox(disk / "outbox", HERE, 1 << 30)
    add(outbox, *range(10))
    outbox.close()
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
    outbox = reopened(disk / "outbox")
    add(outbox, *range(10, 20))
    outbox.keep(5)
    assert take(outbox) == list(range(10, 20))       # what cannot be settled on disk is not touched
    subprocess.run(["mount", "-o", "remount,rw", str(disk)], check=True)
    add(outbox, *range(20, 30))
    outbox.keep(100)
    assert sorted(take(outbox)) == [*range(10), *range(20, 30)]
"""
NO_DIRECTORY = """
    (disk / "outbox").write_text("a file is in the way")
    outbox = reopened(disk / "outbox")
    add(outbox, *range(10))
    assert take(outbox) == list(range(10))
    outbox.close()
"""


@pytest.fixture
def own_mounts() -> list[str]:
    """How to run a process that may mount a small disk which nobody else sees."""
    within = ["unshare", "--mount", "--map-root-user"] if os.getuid() else ["unshare", "--mount"]
    if shutil.which("unshare") is None or os.system(" ".join([*within, "mount -t tmpfs tmpfs /mnt 2>/dev/null"])):
        pytest.skip("this machine lets no process mount a disk of its own")
    return within


@pytest.mark.parametrize(("what", "said"), [(FULL, "No space left"), (READ_ONLY, "Read-only file system")])
def test_a_bad_disk_keeps_events_in_memory_and_says_so_once(
    what: str, said: str, tmp_path: Path, own_mounts: list[str]
) -> None:
    _, log = finished(DISK + what, tmp_path, within=own_mounts)
    assert log.count(said) == 1, log
    assert "HEADWATER_OUTBOX" in log
    assert "are written to" in log  # again, at the end


def test_where_no_directory_can_be_made_events_are_sent_from_memory(tmp_path: Path) -> None:
    _, log = finished(DISK + NO_DIRECTORY, tmp_path)
    assert log.count("cannot be written to") == 1


def test_memory_is_bounded_and_running_events_leave_it_first(root: Path, caplog: pytest.LogCaptureFixture) -> None:
    root.write_text("a file is in the way")
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, 0, kind="START")
    add(outbox, *range(1, 80), size=MB)
    add(outbox, 80, kind="COMPLETE")
    assert outbox.dropped > 40
    assert take(outbox) == [0, *range(1 + outbox.dropped, 81)]
    assert caplog.text.count("lineage events are lost") == 1


def test_events_that_wait_are_forced_to_disk_within_a_second(root: Path) -> None:
    outbox = Outbox(root, HERE, DEFAULT_LIMIT)
    add(outbox, 1)
    synced: list[int] = []
    box = outbox._own()
    before = box.tail.sync

    def sync() -> None:  # there is no other way to see that the disk was told
        synced.append(box.tail.records)
        before()

    box.tail.sync = sync  # type: ignore[method-assign]
    assert outbox.keep(10.0) <= 1
    assert outbox.keep(11.0) <= 15
    assert synced == [1]
    take(outbox)
    add(outbox, 2)
    take(outbox)
    outbox.keep(20.0)
    outbox.keep(30.0)
    assert synced == [1]  # what was sent needs no disk
