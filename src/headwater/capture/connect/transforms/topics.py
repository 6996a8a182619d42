"""Transforms that send a record to another topic. What only a record knows stands as ${…} in the topic's name."""

import re

from msgspec.structs import replace

from headwater.capture.connect.options import java_expanded, java_pattern
from headwater.capture.connect.transforms.chain import KAFKA, Transform
from headwater.capture.connect.transforms.flow import FILTER, INDIRECT, Column, Record, Use, all_uses, noted

MOST_GROUPS = 3
OPEN = re.compile(r"\$\{[^{}]*\}")


def regex_router(transform: Transform, record: Record) -> Record:
    """RegexRouter: a topic whose whole name matches has another."""
    return _routed(transform, record, transform.option("regex"), transform.options.get("replacement", ""))


def timestamp_router(transform: Transform, record: Record) -> Record:
    """TimestampRouter: the record's time is part of the topic's name."""
    time = "${" + transform.option("timestamp.format", default="yyyyMMdd") + "}"
    form = transform.option("topic.format", "topic.format.name", default="${topic}-${timestamp}")
    topic = form.replace("${timestamp}", time).replace("${topic}", record.topic)
    return replace(record, topic=topic)


def extract_topic(transform: Transform, record: Record) -> Record:
    """ExtractTopic: a field of the record is the name of its topic."""
    name = transform.option("field.name", "field").removeprefix("$.")
    found = record.part(transform.side).field(name)
    if found is not None and found.text is not None:
        return replace(record, topic=found.text)
    deciding = tuple(Use(use.path, INDIRECT, FILTER, doubt=use.doubt) for use in (all_uses(found) if found else ()))
    return replace(record, topic="${" + (name or transform.side) + "}", whole=(*record.whole, *deciding))


def by_expression(transform: Transform, record: Record) -> Record:
    """ContentBasedRouter: a script chooses the topic."""
    made = replace(record, topic="${" + transform.alias + "}")
    return noted(made, f"{transform} chooses the topic by a script, which is not read")


def by_logical_table(transform: Transform, record: Record) -> Record:
    """ByLogicalTableRouter: tables that are one to the reader go to one topic; the key says which table it was."""
    pattern, replacement = transform.option("topic.regex"), transform.options.get("topic.replacement", "")
    made = _routed(transform, record, pattern, replacement)
    if made.topic == record.topic or transform.option("key.enforce.uniqueness", default="true") != "true":
        return made
    if not record.key.fields:
        return made
    return replace(made, key=replace(record.key, fields=(*record.key.fields, _table_column(transform))))


def undo_by_logical_table(transform: Transform, record: Record) -> Record:
    """The key had no name of a table."""
    name = _table_column(transform).name
    return replace(record, key=replace(record.key, fields=tuple(f for f in record.key.fields if f.name != name)))


def _table_column(transform: Transform) -> Column:
    return Column(transform.option("key.field.name", default="__dbz__physicalTableIdentifier"), "string")


def _routed(transform: Transform, record: Record, regex: str, replacement: str) -> Record:
    pattern = java_pattern(regex)
    if pattern is None:
        return noted(record, f"{transform} has a pattern that cannot be read: {regex}")
    match = pattern.fullmatch(record.topic)
    topic = java_expanded(match, replacement) if match else record.topic
    return replace(record, topic=topic) if topic else record


# -- back ------------------------------------------------------------------------------------------


def topic_before(transform: Transform, topic: str) -> str:
    """The topic that was sent to this one; empty if it cannot be told from the settings."""
    rule = BACK.get(transform.kind)
    if rule is None:
        return ""
    regex, replacement = rule
    return _before(transform.option(regex), transform.options.get(replacement, ""), topic)


BACK = {
    KAFKA + "RegexRouter": ("regex", "replacement"),
    "io.confluent.connect.cloud.transforms.TopicRegexRouter": ("regex", "replacement"),
    "io.debezium.transforms.ByLogicalTableRouter": ("topic.regex", "topic.replacement"),
}


def may_send_others(transform: Transform, topic: str) -> bool:
    """Whether a router may have sent to this topic what cannot be told from the topic's name."""
    rule = BACK.get(transform.kind)
    if rule is None or topic_before(transform, topic):
        return False
    return re.fullmatch(_form(transform.options.get(rule[1], "")), topic) is not None


def _before(regex: str, replacement: str, topic: str) -> str:
    """Put what the replacement's groups have matched where the pattern's groups are; the rest must be plain text."""
    parts = _parts(regex)
    match = re.fullmatch(_form(replacement), topic) if parts is not None else None
    if parts is None or match is None:
        return ""
    groups = match.groupdict()
    if any(isinstance(part, int) and f"g{part}" not in groups for part in parts):
        return ""
    return "".join(part if isinstance(part, str) else groups[f"g{part}"] for part in parts)


def _form(replacement: str) -> str:
    """A pattern for what a replacement can have made."""
    form, seen = "", set[str]()
    for literal, number in re.findall(r"\\?([^$\\])|\$(\d)", replacement):
        if not number:
            form += re.escape(literal)
        elif number in seen:
            form += f"(?P=g{number})"
        else:
            seen.add(number)
            form += f"(?P<g{number}>.*)"
    # Of many groups nobody can tell which has matched what, and trying takes for ever.
    return form if len(seen) <= MOST_GROUPS else "(?!)"


def _parts(regex: str) -> list[str | int] | None:
    """A pattern as plain text and numbered groups; None if it is more than that."""
    parts: list[str | int] = []
    at, groups = 0, 0
    while at < len(regex):
        found = _PLAIN.match(regex, at)
        if found is None:
            return None
        groups += found["group"] is not None
        parts.append(groups if found["group"] is not None else found["escaped"] or found["letter"])
        at = found.end()
    return parts


# A dot that is not repeated was meant as a dot, mostly: whoever uses the answer goes forward again to see.
_PLAIN = re.compile(
    r"\\(?P<escaped>\W)|(?P<group>\((?!\?)[^()]*\)(?![*+?{]))|(?P<letter>[^\\()\[\]{}*+?|^$](?![*+?{]))", re.DOTALL
)
