"""Settings and messages without their secrets, before anything is stored, sent, logged or shown."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from urllib.parse import quote

MASK = "********"

# A setting is secret if its name, without dots and dashes, has one of these in it …
SECRET_WORDS = (
    "accesskey",
    "accountkey",
    "apikey",
    "appkey",
    "authheader",
    "authkey",
    "authorization",
    "bearer",
    "clientkey",
    "connectionstring",
    "consumerkey",
    "cookie",
    "credential",
    "encryptionkey",
    "jaas",
    "keyfile",
    "keystorekey",
    "license",
    "masterkey",
    "passcode",
    "passphrase",
    "passwd",
    "password",
    "privatekey",
    "pwd",
    "secret",
    "serviceaccount",
    "sharedkey",
    "signature",
    "sslkey",
    "storagekey",
    "token",
    "userinfo",
)
# … or ends with one of these, which are parts of other words …
LAST_WORDS = {"creds", "pass", "psw", "pw", "sas"}
# … unless the last of its words says that the value is only about one.
ABOUT = {
    "algorithm", "class", "column", "columns", "enable", "enabled", "endpoint", "factor", "field", "fields", "file",
    "handler", "id", "interval", "length", "location", "mode", "ms", "partitions", "path", "provider", "renames",
    "retries", "size", "source", "spec", "topic", "type", "uri", "url", "version",
}  # fmt: skip
# An id is half of a key to a store, and the rest of its name says so.
IDS = ("accesskeyid", "secretid", "tokenid")
# Settings that pair names with names or types, which look like names with secrets.
PAIRS = {"renames", "spec", "mapping", "mappings"}

_ONLY_PLACEHOLDERS = re.compile(r"(?:\$\{[^{}]*\}[:;,\s]*)+")
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")

_PEM = re.compile(r"-----BEGIN [A-Z ]{0,30}-----.*?(?:-----END [A-Z ]{0,30}-----|\Z)", re.DOTALL)
# What is before the @ of an address. A password may have an @ or a slash in it; a port has only digits.
_USER_INFO = re.compile(
    r"""(?<=://)(?:[^\s/?#@:"']*:(?!\d+(?:[/?#,]|\s|$))[^\s"'?]*@|[^\s/?#"']*@|[^\s/?#@:"']*:(?!\d+(?:[/?#,]|\s|$))[^\s"'@]*@)"""
)
_ORACLE = re.compile(r"(?<=:thin:)[^\s/@\"']+/[^\s@\"']+(?=@)")
_SALT = re.compile(r"(\.with\.salt\.)(?!\$\{)(.+)", re.DOTALL)
# Of a header; "basic authentication" is none.
_SCHEME = re.compile(r"\b(Bearer|Basic)\s+(?!auth(?:entication|orization)?\b)[A-Za-z0-9+/=._~-]{6,}", re.IGNORECASE)
_KNOWN_SHAPES = re.compile(r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*")
_NAME = re.compile(r"""\$\{[^{}]*\}|(?<![\w.\-])([\w.\-]{1,120})(?:\\*["'])?\s{0,4}(?:=>|[:=])\s{0,4}""")
_VALUE = re.compile(
    r"""\$\{[^{}]*\}|\\+"(?:(?!\\+").)*|"(?:\\.|[^"\\])*|'[^']*|(?:Bearer|Basic)\s+[^\s,;&|"']+|[^\s,;&|"'(){}\[\]]+""",
    re.DOTALL | re.IGNORECASE,
)


def redact(config: Mapping[str, str]) -> dict[str, str]:
    """A connector's settings to show; placeholders such as ${file:…} stay, as they are no secrets themselves."""
    return {_shown(key): str(_hidden(key, value)) for key, value in config.items()}


def redact_json(value: Any) -> Any:
    """Any JSON to show, such as a worker's answer: settings are found however deep they are."""
    if isinstance(value, Mapping):
        shown = {_shown(str(key)): _hidden(str(key), each) for key, each in value.items()}
        # A worker that checks settings gives each as a name and a value.
        if is_secret(str(value.get("name", ""))):
            shown |= {key: _masked(value[key]) for key in ("value", "default_value") if key in value}
        return shown
    if isinstance(value, list | tuple):
        return [redact_json(each) for each in value]
    return redact_text(value) if isinstance(value, str) else value


def redact_text(text: str, secrets: Iterable[str] = ()) -> str:
    """A message to show: without these secrets, however they are written, and without what looks like one."""
    for secret in sorted({way for each in secrets for way in _spellings(each)}, key=len, reverse=True):
        text = text.replace(secret, MASK)
    return _without_named(_without_shapes(text))


def secrets_of(config: Mapping[str, str]) -> tuple[str, ...]:
    """The secrets that a connector's settings hold, so that they can be taken out of what a worker says."""
    found: set[str] = set()
    for key, value in config.items():
        if is_secret(key):
            # The password of user:password is a secret by itself.
            found.update([value, *(_pair(value) if "userinfo" in _squashed(key) else ())])
        found.update(salt for _, salt in _SALT.findall(key))
        found.update(_inside(value))
    return tuple(sorted(each for each in found if len(each) > 2 and not _plain(each)))


def restored(edited: Mapping[str, str], before: Mapping[str, str]) -> dict[str, str]:
    """Settings that a person edited with the secrets hidden: what is still hidden has the value that it had."""
    shown = redact(before)
    names = {_shown(key): key for key in before}
    known = {names.get(key, key) if MASK in key else key: value for key, value in edited.items()}
    return {
        key: before[key] if MASK in value and key in before and shown[_shown(key)] == value else value
        for key, value in known.items()
    }


def is_secret(key: str) -> bool:
    """Whether a setting of this name holds a secret."""
    squashed, words = _squashed(key), _WORDS.findall(key)
    last = words[-1].lower() if words else ""
    if last in LAST_WORDS or squashed.endswith(IDS):
        return True
    return last not in ABOUT and any(word in squashed for word in SECRET_WORDS)


def _shown(key: str) -> str:
    """A setting's name; Debezium has the salt of a hash in it."""
    return _SALT.sub(rf"\1{MASK}", key)


def _hidden(key: str, value: Any) -> Any:
    if is_secret(key):
        return _masked(value)
    if isinstance(value, str):
        words = _WORDS.findall(key)
        return _without_shapes(value) if words and words[-1].lower() in PAIRS else redact_text(value)
    return redact_json(value)


def _masked(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _masked(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(each) for each in value]
    return value if value is None or isinstance(value, bool) or _plain(str(value)) else MASK


def _plain(value: str) -> bool:
    """Whether a secret's value tells nothing: it is empty, a placeholder, or hidden already."""
    return not value or value == MASK or value in ("true", "false") or bool(_ONLY_PLACEHOLDERS.fullmatch(value))


def _without_shapes(text: str) -> str:
    text = _PEM.sub(MASK, text)
    text = _USER_INFO.sub(lambda found: found[0] if _only_placeholders(found[0]) else f"{MASK}@", text)
    text = _ORACLE.sub(MASK, text)
    return _KNOWN_SHAPES.sub(MASK, _SCHEME.sub(rf"\1 {MASK}", text))


def _only_placeholders(user_info: str) -> bool:
    return bool(_ONLY_PLACEHOLDERS.fullmatch(user_info.removesuffix("@")))


def _without_named(text: str) -> str:
    """Text without the values that a name such as password= tells of."""
    pieces, done = [], 0
    for start, end in _named_secrets(text):
        pieces += [text[done:start], MASK]
        done = end
    return "".join([*pieces, text[done:]])


def _named_secrets(text: str) -> Iterator[tuple[int, int]]:
    """Where the values of named secrets are; a name that is in such a value is not looked at."""
    done = 0
    for name in _NAME.finditer(text):
        # What is in a placeholder is the way to a secret, not the secret.
        if name[1] is None or name.start() < done or not is_secret(name[1]):
            continue
        value = _VALUE.match(text, name.end())
        if value is None:
            continue
        bare = value[0].lstrip("\\\"'")
        done = value.end()
        if not _plain(bare):
            yield done - len(bare), done


def _inside(text: str) -> set[str]:
    """Secrets in the middle of a value, such as an address with a password."""
    found = {part for each in _USER_INFO.findall(text) for part in _pair(each.removesuffix("@"))[1:]}
    return found | {text[start:end] for start, end in _named_secrets(text)}


def _pair(text: str) -> list[str]:
    _, separator, password = text.partition(":")
    return [text, password] if separator else [text]


def _spellings(secret: str) -> set[str]:
    """A secret, and how it looks in an address, in JSON and in a header."""
    if len(secret) < 3:
        return set()
    escaped = secret.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return {secret, quote(secret, safe=""), quote(secret), escaped, base64.b64encode(secret.encode()).decode()}


def _squashed(key: str) -> str:
    return re.sub(r"[^a-z0-9]", "", key.lower())
