"""Small OpenLineage events for tests: run("load", "a", "b") reads a and writes b."""

from typing import Any
from uuid import NAMESPACE_URL, uuid5

Json = dict[str, Any]


def run_id(name: str) -> str:
    """A UUID that stands for a name."""
    return str(uuid5(NAMESPACE_URL, name))


def dataset(name: str, columns: str = "", made_of: dict[str, list[str]] | None = None, **facets: Any) -> Json:
    """A dataset in namespace "ns" (or "NS|NAME"); columns "a b:int"; made_of {"b": ["source.a"]}."""
    namespace, _, rest = name.rpartition("|")
    if columns:
        fields = [dict(zip(("name", "type"), f"{c}:string".split(":")[:2], strict=False)) for c in columns.split()]
        facets["schema"] = facet(fields=fields)
    if made_of is not None:
        facets["columnLineage"] = facet(
            fields={out: {"inputFields": [_input(text) for text in inputs]} for out, inputs in made_of.items()}
        )
    return {"namespace": namespace or "ns", "name": rest, "facets": facets}


def _input(text: str) -> Json:
    name, _, column = text.rpartition(".")
    transformations = [{"type": "DIRECT", "subtype": "IDENTITY", "description": "", "masking": False}]
    return {"namespace": "ns", "name": name, "field": column, "transformations": transformations}


def facet(**content: Any) -> Json:
    """A facet object with the two fields that every facet has."""
    return {"_producer": "tests", "_schemaURL": "https://example.com/facet.json", **content}


def run(
    job: str,
    inputs: list[Json] | str = "",
    outputs: list[Json] | str = "",
    at: str = "2026-01-01T00:00:00Z",
    state: str = "COMPLETE",
    run: str | None = None,
    job_facets: Json | None = None,
    run_facets: Json | None = None,
) -> Json:
    """A RunEvent; inputs and outputs may be a text of names."""
    return {
        "eventType": state,
        "eventTime": at,
        "producer": "tests",
        "schemaURL": "https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent",
        "run": {"runId": run_id(run or f"{job} {at}"), "facets": run_facets or {}},
        "job": {"namespace": "ns", "name": job, "facets": job_facets or {}},
        "inputs": [dataset(name) for name in inputs.split()] if isinstance(inputs, str) else inputs,
        "outputs": [dataset(name) for name in outputs.split()] if isinstance(outputs, str) else outputs,
    }
