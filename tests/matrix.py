"""The capture of streams on other Sparks than the tests' own: `make matrix`, or python -m tests.matrix [VERSION ...]

Each version is installed into build/spark/ and put before the other. Every query of
tests/fixtures/plans must give the edges there that are written down for Spark 3.5, and real streams the same events.
"""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import httpx

from headwater.artifacts import repository, user_cache
from tests.capture.spark.plan.plans import FOLDER, lines
from tests.conftest import JARS_VARIABLE

ROOT = Path(__file__).parents[1]
VERSIONS = ("4.0.1", "4.1.1")
STREAMS = tuple(f"tests/capture/spark/test_{what}.py" for what in ("streams", "batches", "sieve"))


def main(versions: list[str]) -> int:
    """Try every version; 1 if anything is different on one of them."""
    different = [version for version in versions or VERSIONS if not (plans_agree(version) & streams_agree(version))]
    print(f"different on: {', '.join(different)}" if different else "the same on every version")
    return 1 if different else 0


def plans_agree(version: str) -> bool:
    """Whether the version's plans give the edges that are written down; what it will not run is said, not counted."""
    folder = ROOT / "build" / "plans" / version
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.iterdir():
        file.unlink()
    command = [sys.executable, "-m", "tests.fixtures.plans.record", "--into", str(folder)]
    subprocess.run(command, env=environment(version), cwd=ROOT, check=True)
    agree = different = 0
    reference = {file.name: file for file in (FOLDER / "spark-3.5").iterdir()}
    # Some queries are for a newer Spark only.
    for file in sorted(file for file in folder.iterdir() if file.name in reference):
        wanted = json.loads(reference[file.name].read_text())["expected"]
        found = lines(json.loads(file.read_text()))
        if found == wanted:
            agree += 1
            continue
        different += 1
        print(f"Spark {version}, {file.stem}:")
        print("\n".join(f"  - {line}" for line in wanted if line not in found))
        print("\n".join(f"  + {line}" for line in found if line not in wanted))
    missing = len(reference) - agree - different
    print(f"Spark {version}: {agree} plans agree, {different} differ, {missing} could not be made there")
    return agree > 0 and not different


def streams_agree(version: str) -> bool:
    """Whether the tests of real streams pass there."""
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-n0", *STREAMS], env=environment(version), cwd=ROOT, check=False
    )
    return done.returncode == 0


def environment(version: str) -> dict[str, str]:
    """What makes a program find this Spark before the other."""
    folder = ROOT / "build" / "spark" / version
    if not (folder / "pyspark").is_dir():
        print(f"installing Spark {version} into {folder}", flush=True)
        command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*command, "--target", folder, f"pyspark=={version}", "pandas", "pyarrow"], check=True)
    env = {**os.environ, "PYTHONPATH": os.pathsep.join((str(folder), str(ROOT))), "SPARK_HOME": str(folder / "pyspark")}
    asked = "from tests.fixtures.plans.shop import PACKAGES, in_cache; print(*map(in_cache, PACKAGES), sep=',')"
    done = subprocess.run([sys.executable, "-c", asked], env=env, cwd=ROOT, check=True, capture_output=True, text=True)
    jars = done.stdout.strip()
    for jar in map(Path, jars.split(",")):
        fetch(jar)
    return {**env, JARS_VARIABLE: jars}


def fetch(jar: Path) -> None:
    """Bring a jar alone into the user's cache: not all that it asks for is published for each version."""
    if jar.exists():
        return
    url = f"{repository(os.environ)}/{jar.relative_to(user_cache(os.environ) / 'jars')}"
    print(f"fetching {url}", flush=True)
    content = httpx.get(url, follow_redirects=True, timeout=120).raise_for_status().content
    if hashlib.sha1(content).hexdigest() != httpx.get(f"{url}.sha1", follow_redirects=True).text.split()[0]:
        raise SystemExit(f"{url} is not what its sum says; try again")
    jar.parent.mkdir(parents=True, exist_ok=True)
    jar.with_suffix(".part").write_bytes(content)
    jar.with_suffix(".part").rename(jar)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
