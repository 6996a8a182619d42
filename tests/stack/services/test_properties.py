from headwater.stack.services.properties import properties


def test_plain_settings_are_written_as_they_are() -> None:
    assert properties({"log.dirs": "/home/me/.lab/data", "a.b": "x=y:z"}) == "log.dirs=/home/me/.lab/data\na.b=x=y:z\n"


def test_what_java_would_misread_is_escaped() -> None:
    assert properties({"path": "C:\\lab"}) == "path=C:\\\\lab\n"
    assert properties({"path": "/höme/€/😀"}) == "path=/h\\u00f6me/\\u20ac/\\ud83d\\ude00\n"
