"""First pages of lists and searches, with 100,000 jobs and 1,000,000 datasets stored."""

from collections.abc import Iterator

from bench import processes
from bench.client import Reader
from bench.context import Context
from bench.events import BULK_NAMESPACE, bulk_job
from bench.reads import ask
from bench.report import Figure, Target


def measure(context: Context) -> Iterator[Figure]:
    """The 95th percentile of each, over different words where there are words."""
    jobs = context.scaled(100_000, 5_000)
    repeats = context.scaled(200, 20)
    for databases in context.databases:
        with processes.headwater(context.bulk_database(databases, jobs)) as server, Reader(server.url) as reader:
            for what, paths in questions(jobs):
                with context.doing(what):
                    timing = ask(reader, paths, repeats, (server.pid, databases.pid))
                yield Figure(
                    f"Lists and search over {jobs:,} jobs and {10 * jobs:,} datasets on {databases.name}",
                    f"{what}, p95",
                    timing.p95,
                    "s",
                    target=Target(0.020, "within 20 ms"),
                    note=f"p50 {timing.median * 1000:.1f} ms, {timing.cpu}",
                )


def questions(jobs: int) -> list[tuple[str, list[str]]]:
    """What is asked: the first pages, and searches for the rare, the common and the absent."""
    rare = [bulk_job(number)[-7:] for number in range(0, jobs, max(1, jobs // 20))]
    common = ["load", "team_1", "table", "area_00", "team_42.load"]
    absent = ["no such thing", "xyzzy"]
    return [
        ("jobs, first 25", ["/api/v1/jobs?limit=25"]),
        ("jobs, first 100", ["/api/v1/jobs?limit=100"]),
        ("jobs of a namespace, first 100", [f"/api/v1/namespaces/{BULK_NAMESPACE}/jobs?limit=100"]),
        ("datasets of a namespace, first 100", ["/api/v1/namespaces/bulk-db/datasets?limit=100"]),
        ("the web app's jobs with their last runs, first 100", ["/api/v2/jobs?limit=100"]),
        ("the web app's datasets, first 100", ["/api/v2/datasets?limit=100"]),
        ("the web app's runs, first 100", ["/api/v2/runs?limit=100"]),
        ("the web app's events, first 100", ["/api/v2/events?limit=100"]),
        ("namespaces", ["/api/v1/namespaces?limit=100"]),
        ("search, rare words", [f"/api/v1/search?q={word}&limit=10" for word in rare]),
        ("search, common words", [f"/api/v1/search?q={word}&limit=10" for word in common]),
        ("search, absent words", [f"/api/v1/search?q={word.replace(' ', '%20')}&limit=10" for word in absent]),
    ]
