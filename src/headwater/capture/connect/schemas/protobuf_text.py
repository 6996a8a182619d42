"""The text of a .proto file, read into messages, enums and imports."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from headwater.capture.connect.schemas.record import BadSchema

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)"""
    r"""|(?P<string>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"""|(?P<word>\.?[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)*)"""
    r"""|(?P<number>[+-]?(?:0[xX][0-9a-fA-F]+|\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?))"""
    r"""|(?P<sign>[{}\[\]()<>=;,:/-])""",
    re.DOTALL,
)
LABELS = {"optional", "required", "repeated"}
NESTING = 60


class ProtoField(Struct, frozen=True):
    """A field of a message; `key` is the type of a map's keys."""

    name: str
    type: str
    repeated: bool = False
    key: str = ""
    comment: str = ""


class Message(Struct, frozen=True):
    """A message by its full name."""

    name: str
    fields: tuple[ProtoField, ...]


class File(Struct, frozen=True):
    """What a .proto file defines; its messages come in the order they are written in, the outer before the inner."""

    package: str
    messages: tuple[Message, ...]
    enums: frozenset[str]
    imports: tuple[str, ...]


def read(text: str) -> File:
    """The messages of a .proto file; BadSchema says what is wrong with it."""
    return _Reader(text).file()


class _Reader:
    """Reads one file from its first token to its last."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text))
        self.at = 0
        self.package = ""
        self.messages: list[Message] = []
        self.enums: set[str] = set()
        self.imports: list[str] = []

    def file(self) -> File:
        while self.at < len(self.tokens):
            match self.take():
                case "package":
                    self.package = self.take()
                    self.expect(";")
                case "import":
                    name = self.take()
                    if name in ("public", "weak"):
                        name = self.take()
                    self.imports.append(name.strip("\"'"))
                    self.expect(";")
                case "message":
                    self.message(self.package, 0)
                case "enum":
                    self.enum(self.package)
                case "extend":
                    self.take()
                    self.skip_block()
                case "service":
                    self.take()
                    self.skip_block()
                case "syntax" | "edition" | "option":
                    self.skip_statement()
                case ";":
                    pass
                case word:
                    raise BadSchema(f"the Protobuf schema has {word!r} where a message, an enum or an import may be")
        return File(self.package, tuple(self.messages), frozenset(self.enums), tuple(self.imports))

    def message(self, scope: str, depth: int) -> None:
        name = within(scope, self.take_name("a message"))
        self.message_body(name, depth)

    def message_body(self, name: str, depth: int) -> None:
        if depth > NESTING:
            raise BadSchema("the messages of the Protobuf schema are nested too deeply to be read")
        self.expect("{")
        place, fields = len(self.messages), []
        while (word := self.take()) != "}":
            fields += self.member(word, name, depth)
        self.messages.insert(place, Message(name, tuple(fields)))

    def member(self, word: str, scope: str, depth: int) -> list[ProtoField]:
        """What a word in a message begins: a field, or something that is no field."""
        following = self.peek()
        if word == "message" and self.peek(1) == "{":
            self.message(scope, depth + 1)
        elif word == "enum" and self.peek(1) == "{":
            self.enum(scope)
        elif word == "extend" and self.peek(1) == "{":
            self.take()
            self.skip_block()
        elif word == "oneof" and self.peek(1) == "{":
            self.take()
            return self.oneof(scope, depth)
        elif word == "map" and following == "<":
            return [self.map_field()]
        elif word in ("option", "reserved", "extensions"):
            self.skip_statement()
        elif word != ";":
            return [self.field(word, scope, depth)]
        return []

    def oneof(self, scope: str, depth: int) -> list[ProtoField]:
        self.expect("{")
        fields = []
        while (word := self.take()) != "}":
            if word == "option":
                self.skip_statement()
            elif word != ";":
                fields.append(self.field(word, scope, depth))
        return fields

    def field(self, word: str, scope: str, depth: int) -> ProtoField:
        repeated = word == "repeated"
        # A field may be of a type that is called as a label is; then its name and a = follow at once.
        if word in LABELS and self.peek(1) != "=":
            word = self.take()
        if word == "group":
            name = self.take_name("a group")
            self.number(name)
            self.message_body(within(scope, name), depth + 1)
            return ProtoField(name.lower(), name, repeated)
        if not re.fullmatch(r"\.?[A-Za-z_][\w.]*", word):
            raise BadSchema(f"the Protobuf schema has {word!r} in {scope!r} where the type of a field may be")
        name = self.take_name(f"a field of {scope}")
        self.number(name)
        self.options()
        self.expect(";")
        return ProtoField(name, word, repeated)

    def map_field(self) -> ProtoField:
        self.expect("<")
        key = self.take()
        self.expect(",")
        value = self.take()
        self.expect(">")
        name = self.take_name("a map")
        self.number(name)
        self.options()
        self.expect(";")
        return ProtoField(name, value, key=key)

    def number(self, name: str) -> None:
        self.expect("=")
        number = self.take()
        if not re.fullmatch(r"\d+|0[xX][0-9a-fA-F]+", number):
            raise BadSchema(f"the field {name!r} of the Protobuf schema has {number!r} for a number")

    def options(self) -> None:
        if self.peek() == "[":
            depth = 0
            while depth or self.peek() == "[":
                depth += {"[": 1, "]": -1}.get(self.take(), 0)

    def enum(self, scope: str) -> None:
        self.enums.add(within(scope, self.take_name("an enum")))
        self.skip_block()

    def skip_statement(self) -> None:
        """Past the next ; that is not inside of brackets."""
        depth = 0
        while (word := self.take()) != ";" or depth:
            depth += {"{": 1, "[": 1, "(": 1, "}": -1, "]": -1, ")": -1}.get(word, 0)

    def skip_block(self) -> None:
        self.expect("{")
        depth = 1
        while depth:
            depth += {"{": 1, "}": -1}.get(self.take(), 0)

    def peek(self, ahead: int = 0) -> str:
        return self.tokens[self.at + ahead] if self.at + ahead < len(self.tokens) else ""

    def take(self) -> str:
        if self.at >= len(self.tokens):
            raise BadSchema("the Protobuf schema ends in the middle of something")
        self.at += 1
        return self.tokens[self.at - 1]

    def take_name(self, what: str) -> str:
        name = self.take()
        if not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            raise BadSchema(f"the Protobuf schema has {name!r} where the name of {what} may be")
        return name

    def expect(self, sign: str) -> None:
        if (word := self.take()) != sign:
            raise BadSchema(f"the Protobuf schema has {word!r} where {sign!r} is expected")


def within(scope: str, name: str) -> str:
    """The full name of what is in a package or a message."""
    return f"{scope}.{name}" if scope else name


def _tokens(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            line = text.count("\n", 0, at) + 1
            raise BadSchema(f"the Protobuf schema has {text[at]!r} in line {line}, which is no part of the language")
        if found.lastgroup != "space":
            yield found[0]
        at = found.end()
