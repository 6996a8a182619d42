import pytest

from headwater.errors import HeadwaterError
from headwater.stack.jars.sets import SETS, Coordinate, parse_lock, pyspark_jars, read_lock

COORDINATES = {
    "org.apache.kafka:connect-api:4.3.1": "org/apache/kafka/connect-api/4.3.1/connect-api-4.3.1.jar",
    "a.b:c:1:tar.gz": "a/b/c/1/c-1.tar.gz",
    "a.b:c:1:tar.gz:all": "a/b/c/1/c-1-all.tar.gz",
    "a.b:c:1:jar:linux-x86_64": "a/b/c/1/c-1-linux-x86_64.jar",
}


@pytest.mark.parametrize(("written", "path"), COORDINATES.items())
def test_a_coordinate_tells_its_path_and_is_written_as_it_was_read(written: str, path: str) -> None:
    assert Coordinate.parse(written).path == path
    assert str(Coordinate.parse(written)) == written


@pytest.mark.parametrize("written", ["", "a:b", "a:b:1:jar:x:y", "a::1", "a:b:1:"])
def test_a_text_that_is_no_coordinate_is_refused(written: str) -> None:
    with pytest.raises(ValueError, match="group:artifact:version"):
        Coordinate.parse(written)


def test_the_lock_has_every_set_with_what_it_asks_for() -> None:
    lock = read_lock()
    assert lock.keys() == SETS.keys()
    for name, jars in SETS.items():
        paths = {artifact.path for artifact in lock[name]}
        assert {Coordinate.parse(root).path for root in jars.roots} <= paths, f"{name}: run make jars"


def test_the_lock_pins_each_file_once_in_a_set_and_the_same_in_all() -> None:
    lock = read_lock()
    for artifacts in lock.values():
        names = [artifact.path.rpartition("/")[2] for artifact in artifacts]
        assert len(names) == len(set(names)), "two files of one name would hide each other in a folder of jars"
    pinned = {artifact for artifacts in lock.values() for artifact in artifacts}
    assert len(pinned) == len({artifact.path for artifact in pinned})


@pytest.mark.parametrize("plugin", ["debezium", "s3-sink", "iceberg-sink", "avro-converter"])
def test_a_plug_in_has_no_copy_of_what_the_worker_gives_it(plugin: str) -> None:
    names = [artifact.path.rpartition("/")[2] for artifact in read_lock()[plugin]]
    given = ("connect-", "kafka-clients", "slf4j", "jackson-core", "jackson-databind")
    assert [name for name in names if name.startswith(given)] == []


def test_the_jobs_have_no_copy_of_what_pyspark_has() -> None:
    own = {artifact.path.rpartition("/")[2].rpartition("-")[0] for artifact in read_lock()["spark"]}
    assert own & {jar.stem.rpartition("-")[0] for jar in pyspark_jars().glob("*.jar")} == set()


@pytest.mark.parametrize("line", ["kafka a:b:1 12", "kafka a:b 12 ff", "kafka a:b:1 twelve ff"])
def test_a_damaged_lock_is_reported_with_its_line(line: str) -> None:
    with pytest.raises(HeadwaterError, match=r"jars.lock line 2 .*make jars"):
        parse_lock(f"# a comment\n{line}\n")
