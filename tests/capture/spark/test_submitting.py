import sys
from pathlib import Path

import pytest

from headwater.capture.spark.submitting import BOOTSTRAP, NoSpark, parse, spark_home, submission


@pytest.mark.parametrize(
    ("args", "options", "job"),
    [
        (["job.py"], {}, "job.py"),
        (["--master", "local[2]", "job.py", "--conf", "mine"], {"--master": "local[2]"}, "job.py"),
        (["--conf", "spark.a=b=c", "-c", "spark.d=e", "job.py"], {"spark.a": "b=c", "spark.d": "e"}, "job.py"),
        (["--supervise", "--name=x", "job.py", "--name", "y"], {"--name": "x"}, "job.py"),
        (
            ["--py-files", "lib.py", "--class", "Main", "app.jar"],
            {"--py-files": "lib.py", "--class": "Main"},
            "app.jar",
        ),
        (["--version"], {}, None),
        (["--master"], {"--master": ""}, None),
    ],
)
def test_spark_submits_arguments_are_understood(args: list[str], options: dict[str, str], job: str | None) -> None:
    assert parse(args) == (options, job)


def test_a_python_job_is_submitted_as_it_is_with_a_place_to_attach() -> None:
    found = submission(["--master", "local[2]", "job.py", "--day", "today"], {"PYTHONPATH": "/mine", "HOME": "/me"})
    assert found.argv[1:] == ("--master", "local[2]", "job.py", "--day", "today")
    assert found.env["PYTHONPATH"] == f"{BOOTSTRAP}:/mine"
    assert found.env["HOME"] == "/me"
    assert found.warning == ""


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--deploy-mode", "cluster", "job.py"], r"headwater\.spark\.attach\(spark\)"),
        (["--deploy-mode=cluster", "job.py"], "starts on another machine"),
        (["--conf", "spark.submit.deployMode=cluster", "job.py"], "starts on another machine"),
        (["--class", "Main", "app.jar"], r"app\.jar is not a Python program"),
        (["--master", "local"], "no program among the arguments"),
    ],
)
def test_where_lineage_is_not_possible_it_is_said_and_the_job_runs(args: list[str], says: str) -> None:
    import re

    found = submission(args, {})
    assert re.search(says, found.warning)
    assert found.argv[1:] == tuple(args)
    assert "PYTHONPATH" not in found.env


def test_the_users_spark_comes_before_the_package(tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "spark-submit").touch()
    assert spark_home({"SPARK_HOME": str(tmp_path)}) == (tmp_path, False)
    found = submission(["job.py"], {"SPARK_HOME": str(tmp_path)})
    assert found.argv[0] == str(tmp_path / "bin" / "spark-submit")
    assert "PYSPARK_PYTHON" not in found.env


def test_the_packages_spark_runs_on_this_python_unless_told() -> None:
    home, ours = spark_home({})
    assert ours
    assert submission(["job.py"], {}).env["PYSPARK_PYTHON"] == sys.executable
    assert submission(["job.py"], {"PYSPARK_PYTHON": "python3.12"}).env["PYSPARK_PYTHON"] == "python3.12"
    assert (home / "bin" / "spark-submit").is_file()


def test_a_spark_home_without_spark_is_said(tmp_path: Path) -> None:
    with pytest.raises(NoSpark, match="correct or unset it"):
        submission(["job.py"], {"SPARK_HOME": str(tmp_path)})
