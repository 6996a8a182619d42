import sys
from pathlib import Path
from typing import Any

import pytest

from headwater.capture.destination import (
    OUR_TRANSPORT,
    Destination,
    destination_of,
    read_destination,
    read_namespace,
)
from headwater.capture.openlineage_file import parse_subset, read_openlineage_file
from headwater.errors import SettingError

FILE = """\
# where lineage goes
transport:
  type: http
  url: https://lineage.example:8443/base/   # behind the proxy
  endpoint: "api/v1/lineage"
  timeoutInMillis: 2500
  compression: gzip
  verify: false
  auth:
    type: api_key
    apiKey: 'it''s secret'
  headers:
    X-Team: data
  retry: {"total": 5, "status_forcelist": [500, 502]}
facets:
  environment_variables:
  - USER
  - HOME
filters:
  - type: exact
    match: job_a
  - type: regex
    match: "job_.*"
tags: {}
"""


def read(tmp_path: Path, file: str | None = None, **env: str) -> Destination | None:
    if file is not None:
        (tmp_path / "openlineage.yml").write_text(file)
    return read_destination({"HOME": str(tmp_path / "home"), **env}, tmp_path)


# -- the environment -------------------------------------------------------------------------------


def test_the_simple_variables_say_where_events_go(tmp_path: Path) -> None:
    found = read(
        tmp_path, OPENLINEAGE_URL="http://lineage:5000/", OPENLINEAGE_ENDPOINT="/in", OPENLINEAGE_API_KEY="secret"
    )
    assert found == Destination("http://lineage:5000", "in", {"Authorization": "Bearer secret"})
    assert found.address == "http://lineage:5000/in"
    assert "secret" not in repr(found)


def test_the_dynamic_variables_say_where_events_go(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        OPENLINEAGE_URL="http://not-this-one:5000",
        OPENLINEAGE__TRANSPORT__TYPE="http",
        OPENLINEAGE__TRANSPORT__URL="http://lineage:5000",
        OPENLINEAGE__TRANSPORT__AUTH='{"type": "api_key", "apiKey": "secret"}',
        OPENLINEAGE__TRANSPORT__TIMEOUT="3",
        OPENLINEAGE__TRANSPORT__VERIFY="false",
        OPENLINEAGE__TRANSPORT__COMPRESSION="none",
    )
    assert found == Destination(
        "http://lineage:5000",
        headers={"Authorization": "Bearer secret"},
        timeout=3.0,
        verify=False,
        gzip=False,
    )


def test_what_the_client_itself_puts_into_the_environment_does_no_harm(tmp_path: Path) -> None:
    prefix = "OPENLINEAGE__TRANSPORT__TRANSPORTS__DEFAULT_HTTP__"
    found = read(tmp_path, **{"OPENLINEAGE_URL": "http://a", f"{prefix}TYPE": "http", f"{prefix}URL": "http://a"})
    assert found == Destination("http://a")


@pytest.mark.parametrize("env", [{"OPENLINEAGE_DISABLED": " True "}, {"OPENLINEAGE__TRANSPORT__TYPE": "noop"}])
def test_lineage_can_be_switched_off(env: dict[str, str], tmp_path: Path) -> None:
    assert read(tmp_path, OPENLINEAGE_URL="http://lineage:5000", **env) is None


def test_the_namespace_has_a_default() -> None:
    assert read_namespace({"OPENLINEAGE_NAMESPACE": "shop"}) == "shop"
    assert read_namespace({"OPENLINEAGE_NAMESPACE": " "}) == read_namespace({}) == "default"


def test_a_user_in_the_address_is_sent_but_not_kept_in_it(tmp_path: Path) -> None:
    found = read(tmp_path, OPENLINEAGE_URL="http://me:p%40ss@lineage:5000")
    assert found == Destination("http://lineage:5000", headers={"Authorization": "Basic bWU6cEBzcw=="})


# -- the file --------------------------------------------------------------------------------------


def test_the_file_wins_over_the_environment_as_in_openlineages_client(tmp_path: Path) -> None:
    found = read(tmp_path, FILE, OPENLINEAGE_URL="http://not-this-one:5000", OPENLINEAGE__TRANSPORT__TIMEOUT="9")
    assert found == Destination(
        "https://lineage.example:8443/base",
        headers={"Authorization": "Bearer it's secret", "X-Team": "data"},
        timeout=2.5,
        verify=False,
    )


def test_a_file_may_leave_the_key_to_the_environment(tmp_path: Path) -> None:
    file = "transport:\n  type: http\n  url: http://a\n  auth:\n    type: api_key\n"
    found = read(tmp_path, file, OPENLINEAGE__TRANSPORT__AUTH__APIKEY="secret")
    assert found == Destination("http://a", headers={"Authorization": "Bearer secret"})


@pytest.mark.parametrize("place", ["named.yml", "openlineage.yml", "home/.openlineage/openlineage.yml"])
def test_the_file_is_looked_for_where_openlineages_client_looks(place: str, tmp_path: Path) -> None:
    (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / place).write_text("transport: {type: http, url: http://a}")
    env = {"OPENLINEAGE_CONFIG": "named.yml"} if place == "named.yml" else {}
    assert read(tmp_path, **env) == Destination("http://a")


def test_a_file_without_a_transport_leaves_it_to_the_environment(tmp_path: Path) -> None:
    assert read(tmp_path, "facets: {}\n", OPENLINEAGE_URL="http://a") == Destination("http://a")
    assert read(tmp_path, "", OPENLINEAGE_URL="http://a") == Destination("http://a")


def test_our_own_transport_may_leave_the_address_to_the_environment(tmp_path: Path) -> None:
    file = f"transport:\n  type: {OUR_TRANSPORT}\n"
    assert read(tmp_path, file, OPENLINEAGE_URL="http://a") == Destination("http://a")


# -- what is wrong ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("file", "env", "said"),
    [
        (None, {}, "set OPENLINEAGE_URL"),
        (None, {"OPENLINEAGE_URL": "lineage:5000"}, "url is 'lineage:5000' in OPENLINEAGE_URL; expected an address"),
        (None, {"OPENLINEAGE_URL": "http://"}, "url is 'http://' in OPENLINEAGE_URL"),
        (None, {"OPENLINEAGE_URL": "http://a:99999"}, "url is 'http://a:99999'"),
        (None, {"OPENLINEAGE_URL": "ftp://me:secret@a"}, r"url is 'ftp://me:\*\*\*@a'"),
        (None, {"OPENLINEAGE_CONFIG": "gone.yml"}, "no file at 'gone.yml', which OPENLINEAGE_CONFIG names"),
        ("transport:\n  type: kafka\n", {}, "transport type is 'kafka' in .*openlineage.yml"),
        (None, {"OPENLINEAGE__TRANSPORT__TYPE": "console"}, "'console' in OPENLINEAGE__TRANSPORT__TYPE"),
        ("transport:\n  type: http\n", {}, "url is missing in .*openlineage.yml"),
        ("transport: http\n", {}, "transport is 'http' in .*; expected settings below it"),
        ("transport:\n  type: http\n  url: http://a\n  timeout: soon\n", {}, "timeout is 'soon'"),
        ("transport:\n  type: http\n  url: http://a\n  auth: {type: oauth2}\n", {}, "auth is of type 'oauth2'"),
        (None, {"OPENLINEAGE_URL": "http://a", "OPENLINEAGE_API_KEY": "x\ny"}, "the key in OPENLINEAGE_URL has a char"),
        ("transport:\n  type: http\n  url: http://a\n  headers: none\n", {}, "headers is str in .*; expected settings"),
        ("transport:\n\ttype: http\n", {}, "cannot understand line 2 of .*openlineage.yml"),
        ("- a\n- b\n", {}, "cannot understand line 1"),
        ("transport:\n  type: http\n    url: http://a\n", {}, "cannot understand line 3"),
        ("transport:\n  url: 'http://a\n", {}, "cannot understand line"),
    ],
)
@pytest.mark.parametrize("parser", ["PyYAML", "ours"])
def test_a_wrong_setting_is_named_with_what_was_expected(
    file: str | None, env: dict[str, str], said: str, parser: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if parser == "ours":
        monkeypatch.setitem(sys.modules, "yaml", None)  # as where PyYAML is not installed
        file = file and file.replace("{type: oauth2}", '{"type": "oauth2"}')
    with pytest.raises(SettingError, match=said):
        read(tmp_path, file, **env)


# -- YAML without PyYAML ---------------------------------------------------------------------------

DOCUMENTS = [
    FILE,
    "",
    "---\na: 1\n",
    "a:\n  b:\n    c: x\n  d: y\ne: z\n",
    'a: \'single # quote\'\nb: "double \\" quote"  # comment\nc: plain#not-a-comment # comment\n',
    "a: true\nb: False\nc: null\nd: ~\ne:\nf: 12\ng: 1.5\nh: -3\ni: '12'\nj: http://a:5000/x?y=z#w\n",
    "list:\n- a\n- b: 1\n  c: 2\n-\n  d: 3\nafter: 1\n",
    "nested:\n  list:\n    - 1\n    - two\n  more: x\n",
    "\"quoted key\": 1\n'other key': 2\n",
    'a: ["x", 1]\nb: {"c": null}\nc: []\n',
    "windows: yes please\r\nline: ends\r\n",
]


@pytest.mark.parametrize("document", DOCUMENTS)
def test_without_pyyaml_a_file_is_read_as_with_it(
    document: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "openlineage.yml"
    path.write_bytes(document.encode())
    with_it = read_openlineage_file(path)
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert read_openlineage_file(path) == with_it


@pytest.mark.parametrize(
    ("document", "line", "said"),
    [
        ("a: &anchor x\n", 1, "needs PyYAML"),
        ("a: 1\nb: |\n  text\n", 2, "needs PyYAML"),
        ("a: {b: c}\n", 1, "is no JSON"),
        ("a: 1\njust words\n", 2, "expected 'name: value', found 'just words'"),
        ("a:\n    b: 1\n  c: 2\n", 3, "indented"),
        ("a: 'open\n", 1, "is not closed"),
    ],
)
def test_without_pyyaml_what_goes_beyond_is_refused_by_line(document: str, line: int, said: str) -> None:
    with pytest.raises(SettingError, match=rf"line {line} of x.yml: .*{said}"):
        parse_subset(document, Path("x.yml"))


def test_settings_are_known_by_any_of_their_spellings() -> None:
    spellings: list[dict[str, Any]] = [
        {"auth": {"type": "api_key", "apiKey": "k"}, "timeoutInMillis": 1000, "sslContext": {"caCertPath": "/ca"}},
        {"auth": {"type": "api_key", "api_key": "k"}, "timeout": 1.0, "ssl_context": {"ca_cert_path": "/ca"}},
        {"auth": {"type": "api_key", "apikey": "k"}, "timeout": "1", "sslcontext": {"cacertpath": "/ca"}},
    ]
    found = [destination_of({"url": "http://a", **each}, "here") for each in spellings]
    assert found[0] == found[1] == found[2]
    assert (found[0].timeout, found[0].ca_file) == (1.0, "/ca")
