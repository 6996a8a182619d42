import os
import zipfile
from pathlib import Path

from headwater.stack.jars.resolve import coordinate_of, lock_line, resolve
from headwater.stack.jars.sets import Coordinate, JarSet

POM = """<project><modelVersion>4.0.0</modelVersion><groupId>{0}</groupId><artifactId>{1}</artifactId>
<version>{2}</version><dependencies>{3}</dependencies></project>"""
DEPENDENCY = "<dependency><groupId>{0}</groupId><artifactId>{1}</artifactId><version>{2}</version></dependency>"


def publish(repository: Path, written: str, *needs: str) -> None:
    coordinate = Coordinate.parse(written)
    file = repository / coordinate.path
    file.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(file, "w") as jar:
        jar.writestr("name", written)
    dependencies = "".join(DEPENDENCY.format(*need.split(":")) for need in needs)
    pom = POM.format(coordinate.group, coordinate.artifact, coordinate.version, dependencies)
    file.with_suffix(".pom").write_text(pom)


def test_a_set_is_resolved_with_what_it_needs_and_without_what_it_leaves_out(tmp_path: Path) -> None:
    repository = tmp_path / "repository"
    publish(repository, "com.shop:till:1", "com.shop:drawer:1", "com.other:bell:1", "com.other:lamp:1")
    publish(repository, "com.shop:drawer:1", "com.other:coin:2")
    publish(repository, "com.shop:drawer:2", "com.other:coin:2")
    publish(repository, "com.other:coin:2")
    env = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache"), "HEADWATER_MAVEN_URL": repository.as_uri()}
    wanted = JarSet(roots=("com.shop:till:1", "com.shop:drawer:2"), without=("com.other:bell", "com.other:la*"))
    found = dict(resolve("shop", wanted, env))
    assert sorted(map(str, found)) == ["com.other:coin:2", "com.shop:drawer:2", "com.shop:till:1"]
    for coordinate, file in found.items():
        assert file == tmp_path / "cache" / "headwater" / "jars" / coordinate.path
        assert zipfile.ZipFile(file).read("name").decode() == str(coordinate)


def test_a_line_of_the_lock_has_size_and_digest(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    line = lock_line("shop", Coordinate.parse("com.shop:till:1"), tmp_path / "file")
    assert line == f"shop com.shop:till:1 3 {digest}"


def test_a_resolved_file_is_known_by_its_place() -> None:
    assert str(coordinate_of(Path("a.b/c/1.0/c-1.0.jar"))) == "a.b:c:1.0"
    assert str(coordinate_of(Path("a.b/c/1.0/c-1.0-linux-x86_64.jar"))) == "a.b:c:1.0:jar:linux-x86_64"
