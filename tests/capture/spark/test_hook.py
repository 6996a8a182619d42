import os
import subprocess
import sys
from pathlib import Path

from headwater.capture.spark.hook import watch_sessions
from headwater.capture.spark.submitting import BOOTSTRAP


class Session:
    def __init__(self, context: object, extra: int = 0) -> None:
        self.context, self.extra = context, extra


def test_the_first_session_of_each_context_is_told_once() -> None:
    class Watched(Session):
        pass

    made: list[Session] = []
    watch_sessions(Watched, made.append)
    one, other = object(), object()
    sessions = [Watched(one, extra=7), Watched(one), Watched(other), Watched(other)]
    assert made == [sessions[0], sessions[2]]
    assert sessions[0].extra == 7


def begin(code: str, folder: Path, **more: str) -> str:
    """What a Python says that begins with the bootstrap, and has a small pyspark and a sitecustomize of its own."""
    package = folder / "pyspark" / "sql"
    package.mkdir(parents=True)
    (folder / "pyspark" / "__init__.py").touch()
    (package / "__init__.py").touch()
    (package / "session.py").write_text("class SparkSession:\n    def __init__(self, context):\n        pass\n")
    (folder / "sitecustomize.py").write_text("print('the environment begins')\n")
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(BOOTSTRAP), str(folder)]), **more}
    done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


CODE = """
from pyspark.sql.session import SparkSession
import headwater.capture.spark.hook as hook
print("watched", SparkSession.__init__.__name__)
hook.attach = None
"""


def test_a_driver_waits_for_spark_and_the_environment_keeps_its_own_beginning(tmp_path: Path) -> None:
    said = begin(CODE, tmp_path, PYSPARK_GATEWAY_PORT="1")
    assert said.splitlines() == ["the environment begins", "watched initialise"]


def test_what_is_said_of_lineage_stays_out_of_the_output_of_the_job(tmp_path: Path) -> None:
    code = "import logging; logging.getLogger('headwater.capture.x').warning('no lineage'); print('the job runs')"
    inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}], stderr=subprocess.STDOUT)"
    env = {**os.environ, "PYTHONPATH": str(BOOTSTRAP), "PYSPARK_GATEWAY_PORT": "1"}
    done = subprocess.run([sys.executable, "-S", "-c", inner], env=env, capture_output=True, text=True, timeout=60)
    assert done.stdout == "the job runs\n"
    assert "WARNING headwater: no lineage" in done.stderr


def test_a_worker_pays_nothing(tmp_path: Path) -> None:
    said = begin("import sys\nprint('headwater' in sys.modules)", tmp_path)
    assert said.splitlines() == ["the environment begins", "False"]


def test_a_python_without_headwater_runs_the_job_and_says_what_is_missing(tmp_path: Path) -> None:
    # An installed package cannot be taken away for one test; one that cannot be imported stands in for it.
    (tmp_path / "headwater").mkdir()
    (tmp_path / "headwater" / "__init__.py").write_text("raise ImportError('no headwater here')")
    said = begin("print('the job runs')", tmp_path, PYSPARK_GATEWAY_PORT="1")
    assert "the job runs" in said
    assert "no lineage of this job: no headwater here" in said
    assert "PYSPARK_DRIVER_PYTHON" in said
