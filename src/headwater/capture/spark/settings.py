"""What a Spark application says about its lineage: spark.openlineage.* first, then what every client reads."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headwater.capture.destination import DEFAULT_NAMESPACE, destination_of, find_file, read_destination
from headwater.capture.openlineage_file import read_openlineage_file
from headwater.capture.run_events import parent_facet
from headwater.errors import SettingError

PREFIX = "spark.openlineage."
TRANSPORT = f"{PREFIX}transport."
PARENT_VARIABLE, ALIASES_VARIABLE = "OPENLINEAGE_PARENT_ID", "HEADWATER_KAFKA_ALIASES"
ALIASES = "spark.headwater.kafkaAliases"
# Of the agent's first years; whoever still has them believes that events arrive.
OLD_NAMES = ("spark.openlineage.url", "spark.openlineage.host", "spark.openlineage.apiKey")


@dataclass(frozen=True)
class SparkSettings:
    """Settings of the application. `transport` is for `open_emitter`; None leaves it to the environment."""

    namespace: str
    app_name: str
    transport: Mapping[str, Any] | None = field(default=None, repr=False)  # it may hold a key
    disabled: bool = False
    kafka_aliases: Mapping[str, str] = field(default_factory=dict)
    # The facet of the run that this application is part of, such as a task of an orchestrator.
    parent: Mapping[str, Any] | None = None


def read_settings(spark_conf: Mapping[str, str], env: Mapping[str, str], cwd: Path | None = None) -> SparkSettings:
    """Find every setting. SettingError says which one cannot be used, and what to do."""
    for name in OLD_NAMES:
        if name in spark_conf:
            raise SettingError(
                f"{name} is no setting any more; set spark.openlineage.transport.type=http and "
                f"spark.openlineage.transport.url=http://host:port instead"
            )
    cwd = cwd or Path.cwd()
    transport = _nested(spark_conf, TRANSPORT)
    if transport:
        disabled = transport.get("type") == "noop" or env.get("OPENLINEAGE_DISABLED", "").strip().lower() == "true"
        if not disabled:
            _check_transport(transport)
    else:
        disabled = read_destination(env, cwd) is None
    return SparkSettings(
        namespace=_namespace(spark_conf, env, cwd),
        app_name=application_name(
            spark_conf.get(f"{PREFIX}appName") or spark_conf.get("spark.app.name") or "spark application"
        ),
        transport=transport or None,
        disabled=disabled,
        kafka_aliases=_aliases(spark_conf, env),
        parent=read_parent(spark_conf, env),
    )


def application_name(name: str) -> str:
    """An application as the agent calls it: "Daily Totals" and daily-totals are daily_totals."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|[\s-]+", "_", name.strip())
    return re.sub("_+", "_", words).lower()


def _check_transport(transport: Mapping[str, Any]) -> None:
    kind = transport.get("type") or "http"
    if kind not in ("http", "async_http"):
        raise SettingError(
            f"{TRANSPORT}type is {kind!r}; events can be delivered durably over http only: set it to http and "
            f"{TRANSPORT}url to the address of the backend"
        )
    destination_of(transport, f"{TRANSPORT}*")


def _nested(conf: Mapping[str, str], prefix: str) -> dict[str, Any]:
    """Settings below a prefix: transport.auth.apiKey becomes {"auth": {"apiKey": …}}."""
    found: dict[str, Any] = {}
    for name in sorted(conf):
        if not name.startswith(prefix):
            continue
        *groups, last = name.removeprefix(prefix).split(".")
        place = found
        for group in groups:
            inner = place.setdefault(group, {})
            if not isinstance(inner, dict):
                raise SettingError(f"{name} is set, and so is {prefix}{group}; only one of them can be")
            place = inner
        place[last] = conf[name]
    return found


def _namespace(conf: Mapping[str, str], env: Mapping[str, str], cwd: Path) -> str:
    file = find_file(env, cwd)
    in_file = read_openlineage_file(file).get("namespace") if file else None
    places = (conf.get(f"{PREFIX}namespace"), in_file, env.get("OPENLINEAGE_NAMESPACE"))
    return next((str(place).strip() for place in places if place and str(place).strip()), DEFAULT_NAMESPACE)


def _aliases(conf: Mapping[str, str], env: Mapping[str, str]) -> dict[str, str]:
    """Spellings of a Kafka server and the one to use: "localhost:9092=kafka-1:19092, …"."""
    name = ALIASES if ALIASES in conf else ALIASES_VARIABLE
    written = conf.get(ALIASES) or env.get(ALIASES_VARIABLE) or ""
    aliases = {}
    for pair in filter(None, (each.strip() for each in written.split(","))):
        spelling, equals, settled = (part.strip() for part in pair.partition("="))
        if not (spelling and equals and settled):
            raise SettingError(f"{name} has {pair!r}; expected spelling=name, such as localhost:9092=kafka-1:19092")
        aliases[spelling] = settled
    return aliases


def read_parent(conf: Mapping[str, str], env: Mapping[str, str]) -> dict[str, Any] | None:
    """The run that an orchestrator says this is part of: by the agent's settings, or as namespace/name/run id."""
    part = {name: conf.get(f"{PREFIX}{name}") for name in ("parentRunId", "parentJobNamespace", "parentJobName")}
    if run_id := part["parentRunId"]:
        namespace, name = part["parentJobNamespace"] or DEFAULT_NAMESPACE, part["parentJobName"] or "parent"
        return parent_facet(run_id, namespace, name, _root(conf))
    if not (written := env.get(PARENT_VARIABLE, "").strip()):
        return None
    # A namespace may have slashes in it, a name and an id may not.
    match = re.fullmatch(r"(.+)/([^/]+)/([^/]+)", written)
    if match is None:
        raise SettingError(f"{PARENT_VARIABLE} is {written!r}; expected namespace/job/run id")
    return parent_facet(match[3], match[1], match[2])


def _root(conf: Mapping[str, str]) -> dict[str, Any] | None:
    run_id, namespace, name = (
        conf.get(f"{PREFIX}{part}") for part in ("rootParentRunId", "rootParentJobNamespace", "rootParentJobName")
    )
    if not (run_id and namespace and name):
        return None
    return {"run": {"runId": run_id}, "job": {"namespace": namespace, "name": name}}
