"""Lineage of the layered graph, and the lists of a namespace that holds it and 2,565 other jobs."""

import json
from collections.abc import Iterator, Sequence
from typing import NamedTuple
from urllib.parse import quote

from bench import events, marquez, processes
from bench.client import Reader, encode_posts, send
from bench.context import Context
from bench.events import LAYERED_NAMESPACE, LAYERS, WIDTH, layered_inputs, layered_name
from bench.reads import Timing, ask
from bench.report import Figure, Target

UPSTREAM_DATASETS = 221  # of the dataset that Marquez was asked about: 4,420 columns, 20 each


class Question(NamedTuple):
    """Something to ask, how many seconds Marquez needs, and how many we may."""

    what: str
    path: str
    marquez: float
    target: Target | None = None


def measure(context: Context) -> Iterator[Figure]:
    """Every question on every database, and the same to the peer."""
    repeats = context.scaled(15, 3)
    peer: dict[str, Timing] = {}
    if context.peer:
        _load(context, context.peer.url)
        answers = _ask(context, context.peer.url, min(repeats, 3), context.peer.pids)
        peer = {question.what: timing for question, timing, _ in answers}
    for databases in context.databases:
        database = databases.create()
        with processes.headwater(database) as server:
            _load(context, server.url)
            databases.settle(database)
            for question, timing, size in _ask(context, server.url, repeats, (server.pid, databases.pid)):
                beside = peer.get(question.what)
                yield Figure(
                    f"Layered graph of 1,000 jobs on {databases.name}",
                    question.what,
                    timing.median,
                    "s",
                    marquez=question.marquez,
                    peer=beside.median if beside else None,
                    target=question.target,
                    note=", ".join(filter(None, (size, timing.cpu))),
                )


def questions() -> list[Question]:
    """What is asked, and what Marquez needs for the same."""
    layer, place = middle()
    dataset = f"dataset:layered-db:{layered_name(layer, place)}"
    field = f"datasetField:layered-db:{layered_name(layer, place)}:column_03"
    job = f"job:{LAYERED_NAMESPACE}:layer_10.job_25"
    lineage = f"/api/v1/lineage?nodeId={quote(job)}&depth="
    columns = "/api/v1/column-lineage?nodeId="
    jobs = f"/api/v1/namespaces/{LAYERED_NAMESPACE}/jobs"
    datasets = "/api/v1/namespaces/layered-db/datasets"
    job_list = faster(marquez.JOB_LIST, 100)

    return [
        Question("/lineage, depth 2", f"{lineage}2", marquez.LINEAGE_2),
        Question("/lineage, depth 20", f"{lineage}20", marquez.LINEAGE_20, faster(marquez.LINEAGE_20, 100)),
        Question("jobs of the namespace, 100 of 3,565", f"{jobs}?limit=100", marquez.JOB_LIST, job_list),
        Question("all jobs, 100 of 3,565", "/api/v1/jobs?limit=100", marquez.JOB_LIST, job_list),
        Question("datasets of the namespace, 100", f"{datasets}?limit=100", marquez.DATASET_LIST),
        Question("one job", f"{jobs}/layer_10.job_25", marquez.JOB_GET),
        Question("search", "/api/v1/search?q=table_25&limit=10", marquez.SEARCH),
        Question("/column-lineage, depth 2", f"{columns}{quote(dataset)}&depth=2", marquez.COLUMNS_2),
        Question(
            "/column-lineage, depth 20",
            f"{columns}{quote(dataset)}&depth=20",
            marquez.COLUMNS_20,
            faster(marquez.COLUMNS_20, 30),
        ),
        Question(
            "/column-lineage of a field, depth 20",
            f"{columns}{quote(field)}&depth=20",
            marquez.COLUMN_FIELD_20,
        ),
        Question(
            "/column-lineage with downstream, depth 20",
            f"{columns}{quote(dataset)}&depth=20&withDownstream=true",
            marquez.COLUMNS_DOWNSTREAM,
            Target(1.0, "under a second"),
        ),
    ]


def faster(reference: float, times: int) -> Target:
    """So many times faster than the reference."""
    return Target(reference / times, f"{times}× faster")


def middle() -> tuple[int, int]:
    """The dataset, by layer and place, with about as much upstream of it as the one Marquez was asked about."""
    above: dict[tuple[int, int], set[tuple[int, int]]] = {(-1, place): {(-1, place)} for place in range(WIDTH)}
    for layer, place, sources in layered_inputs():
        upstream = [above[layer - 1, source] for source in sources]
        above[layer, place] = {(layer, place)}.union(*upstream)
    inner = [key for key in above if key[0] < LAYERS - 1]
    return min(inner, key=lambda key: abs(len(above[key]) - UPSTREAM_DATASETS))


def _load(context: Context, url: str) -> None:
    """The layered graph, and as many other jobs as make the namespace as large as Marquez's was."""
    with context.doing(f"loading the layered graph into {url}"):
        send(url, encode_posts(url, events.layered(context.now())))
        others = marquez.JOBS_OF_NAMESPACE - LAYERS * WIDTH
        send(url, encode_posts(url, events.bystanders(others, context.now())))


def _ask(
    context: Context, url: str, repeats: int, pids: Sequence[int | None]
) -> Iterator[tuple[Question, Timing, str]]:
    """Each question, how long its answers took and how many nodes they have."""
    with Reader(url) as reader:
        for question in questions():
            with context.doing(question.what):
                content = json.loads(reader.get(question.path)[0])
                size = f"{len(content['graph']):,} nodes" if "graph" in content else ""
                timing = ask(reader, [question.path], repeats, pids)
            yield question, timing, size
