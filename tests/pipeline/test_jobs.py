import ast
import sys
from pathlib import Path

import pytest

from headwater.pipeline.jobs import JOBS, Job, UnknownJob, find_job

# What a cluster has, and what a wheel of ours brings; all else would have to be installed on every node.
# _typeshed exists for the type checker alone.
ALLOWED = {"headwater", "pyspark", "py4j", "_typeshed"}
# Asked for only by a job that reports its lineage, which goes on without it where it is not installed.
OPTIONAL = {"headwater.spark"}


@pytest.mark.parametrize("job", JOBS.values(), ids=lambda job: job.name)
def test_a_job_is_a_file_with_a_main_that_says_its_name(job: Job) -> None:
    source = job.path.read_text("utf-8")
    assert f'NAME = "{job.name}"' in source
    assert 'if __name__ == "__main__":' in source


def test_an_unknown_job_is_answered_with_those_there_are() -> None:
    with pytest.raises(UnknownJob, match="no job 'nope'; the pipeline has iceberg-ingestion, supplier-stats"):
        find_job("nope")


@pytest.mark.parametrize("job", JOBS.values(), ids=lambda job: job.name)
def test_a_job_needs_nothing_that_a_cluster_does_not_have(job: Job) -> None:
    foreign = {module.split(".")[0] for module in reachable(job.path)} - ALLOWED - set(sys.stdlib_module_names)
    assert foreign == set()


def reachable(start: Path) -> set[str]:
    """Every module that a file imports, and the files of ours that it leads to."""
    found: set[str] = set()
    todo = [start]
    source = start.parent.parent.parent
    while todo:
        for node in ast.walk(ast.parse(todo.pop().read_text("utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
            for name in names:
                if name not in found | OPTIONAL:
                    file = source / f"{name.replace('.', '/')}.py"
                    if not name.startswith("headwater") or file.is_file():
                        found.add(name)
                        todo += [file] if name.startswith("headwater") else []
    return found
