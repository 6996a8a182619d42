"""What the keys and values of topics look like, from the registries that connectors name; remembered between looks."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from headwater.capture.connect.broker import Record
from headwater.capture.connect.lineage import (
    BadSchema,
    Converter,
    RecordSchema,
    TopicSchemas,
    converter,
    parse_schema,
    subject_pattern,
    subjects,
)
from headwater.capture.connect.registry import Registry, RegistryError, confluent_api
from headwater.capture.connect.schemas import connect_json

log = logging.getLogger(__name__)

WITH_SUBJECTS = ("CONFLUENT", "APICURIO")
FRESH_SECONDS = 4.0  # connectors that share a topic share the question
DOWN_SECONDS = 30.0
LIST_SECONDS = 60.0
SAMPLE_SECONDS = 60.0

T = TypeVar("T")
PartOfRecord = Literal["key", "value"]
PARTS: tuple[PartOfRecord, PartOfRecord] = ("key", "value")


class _Known(Struct):
    version: int = 0
    schema: RecordSchema | None = None
    problem: str = ""
    checked: float = float("-inf")


class _Place:
    """A registry, and what it said so far."""

    def __init__(self, registry: Registry) -> None:
        self.registry = registry
        self.known: dict[str, _Known] = {}
        self.down_until = float("-inf")
        self.trouble = ""
        self.listed: tuple[float, list[str]] = (float("-inf"), [])


class Schemas(AbstractContextManager["Schemas"]):
    """Looks schemas up. `given` is the registry to ask whatever connectors name; it may have user and password.

    `sample` has a record of a topic whose records carry their schemas.
    """

    def __init__(
        self,
        given: str = "",
        clock: Callable[[], float] = time.monotonic,
        sample: Callable[[str], Record | None] = lambda _topic: None,
    ) -> None:
        self._given, self._clock, self._sample = given, clock, sample
        self._places: dict[tuple[str, ...], _Place] = {}
        self._samples: dict[tuple[str, PartOfRecord], _Known] = {}

    def __exit__(self, *_: object) -> None:
        for place in self._places.values():
            place.registry.__exit__()

    def of_topic(self, config: Mapping[str, str], topic: str) -> TopicSchemas:
        """The newest schemas of a topic, as the converters of a connector find them."""
        key, value = self._part(config, topic, "key"), self._part(config, topic, "value")
        return TopicSchemas(key.schema, value.schema, value.problem or key.problem)

    def _part(self, config: Mapping[str, str], topic: str, part: PartOfRecord) -> _Known:
        used = converter(config, {}, part)
        if used.schema is not None:
            return _Known(schema=used.schema)
        if used.format == "JSON_WITH_SCHEMA":
            return self._sampled(topic, part)
        # Without a converter of its own a connector has the worker's, which a worker does not tell.
        if used.registry not in WITH_SUBJECTS and not (self._given and used.format == "UNKNOWN"):
            return _Known(problem=used.problem)
        if not self._given and ("${" in used.url or not used.url):
            return _Known(
                problem=f"the {part} converter's registry is {used.url or 'not told'}, which only the worker knows; "
                f"name it with --registry"
            )
        place = self._place(used)
        for subject in self._subjects(place, config, topic, part):
            found = self._newest(place, subject)
            if found.schema is not None or found.problem:
                return found
        return _Known(problem=place.trouble)

    def _sampled(self, topic: str, part: PartOfRecord) -> _Known:
        """What a record of a topic carries; looked at again after a while."""
        known = self._samples.setdefault((topic, part), _Known())
        if self._clock() - known.checked < SAMPLE_SECONDS:
            return known
        record = self._sample(topic)
        if record is None:
            known.problem = known.problem or f"no record of {topic} was seen yet, and its schema is in its records"
            return known
        for each, text in zip(PARTS, record, strict=True):
            found = _Known(checked=self._clock())
            try:
                found.schema = connect_json.parse((text or b"").decode())
            except (BadSchema, UnicodeDecodeError) as error:
                found.problem = f"a record of {topic} has no schema that can be read: {error}"
            self._samples[topic, each] = found
        return self._samples[topic, part]

    def _place(self, used: Converter) -> _Place:
        key: tuple[str, ...] = (self._given,)
        if not self._given:
            # What only the worker can fill in is of no use to us, and a registry may let anyone read.
            login = ("", "") if "${" in used.user + used.password else (used.user, used.password)
            key = (confluent_api(used.url), *login, "" if "${" in used.token else used.token)
        if key not in self._places:
            self._places[key] = _Place(Registry(*key))
        return self._places[key]

    def _subjects(self, place: _Place, config: Mapping[str, str], topic: str, part: PartOfRecord) -> Iterable[str]:
        named = subjects(config, topic, part)
        pattern = subject_pattern(config, topic, part)
        if not pattern:
            return named
        if self._clock() - place.listed[0] >= LIST_SECONDS:
            listed = self._ask(place, place.registry.subjects)
            place.listed = (self._clock(), listed if listed is not None else place.listed[1])
        return [*named, *(each for each in place.listed[1] if re.fullmatch(pattern, each))]

    def _newest(self, place: _Place, subject: str) -> _Known:
        known = place.known.setdefault(subject, _Known())
        now = self._clock()
        if now - known.checked < FRESH_SECONDS:
            return known
        version = self._ask(place, lambda: place.registry.newest(subject))
        if version is None:
            return known  # as it was, until the registry answers
        known.checked = now
        if version in (0, known.version):
            return known
        found = self._ask(place, lambda: place.registry.schema(subject, version))
        if found is not None:
            known.version = version
            try:
                parsed = parse_schema(found.kind, found.text, found.references)
                known.schema, known.problem = replace(parsed, version=str(version)), ""
            except BadSchema as error:
                known.problem = f"version {version} of {subject} cannot be read: {error}"
                log.warning("%s; its columns stay as they were", known.problem)
        return known

    def _ask(self, place: _Place, question: Callable[[], T]) -> T | None:
        if self._clock() < place.down_until:
            return None
        try:
            answer = question()
        except RegistryError as error:
            place.down_until = self._clock() + DOWN_SECONDS
            if place.trouble != str(error):
                log.warning("%s", error)
            place.trouble = str(error)
            return None
        if place.trouble:
            log.info("the schema registry at %s answers again", place.registry.url)
            place.trouble = ""
        return answer
