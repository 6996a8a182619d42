"""The lab's user names and secrets: made once for each lab, kept in a file that only its owner can read."""

import os
import secrets
import tomllib
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path

from headwater.errors import HeadwaterError
from headwater.stack.files import create_private, write_private

CREDENTIALS_FILE = "credentials.toml"


def secret() -> str:
    """A new secret of letters and digits, so that no configuration file needs to quote it."""
    return secrets.token_hex(20)


def access_key() -> str:
    """A new S3 access key, in the shape clients expect."""
    return secrets.token_hex(10).upper()


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """Who the lab's clients are and how they prove it. No secret shows in the repr."""

    registry_user: str = "headwater"
    registry_password: str = field(default_factory=secret, repr=False)
    s3_access_key: str = field(default_factory=access_key, repr=False)
    s3_secret_key: str = field(default_factory=secret, repr=False)
    postgres_user: str = "postgres"
    postgres_password: str = field(default_factory=secret, repr=False)
    shop_user: str = "shop"
    shop_password: str = field(default_factory=secret, repr=False)


def load_credentials(home: Path) -> Credentials:
    """The credentials of the lab in home, made and kept the first time they are asked for."""
    file = home / CREDENTIALS_FILE
    # Of two commands that make the first ones at once, one wins, and both use what it wrote.
    if not file.exists():
        create_private(file, as_toml(Credentials()))
    kept = read_credentials(file)
    credentials = Credentials(**kept)
    if asdict(credentials) != kept:
        write_private(file, as_toml(credentials))
    return credentials


def as_toml(credentials: Credentials) -> str:
    """The text of a credentials file."""
    lines = (f'{name} = "{value}"\n' for name, value in asdict(credentials).items())
    return "# Made by `headwater lab up`; `headwater lab reset` makes new ones.\n" + "".join(lines)


def read_credentials(file: Path) -> dict[str, str]:
    """The credentials in a file, by name; one that others can read is closed to them first."""
    known = {each.name for each in fields(Credentials)}
    advice = "`headwater lab reset` removes the lab's data and makes new ones"
    try:
        os.chmod(file, 0o600)
        kept = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        # The error of the TOML reader quotes no value, only where it stopped.
        raise HeadwaterError(f"cannot read the lab's credentials from {file}: {error}; {advice}") from error
    for name, value in kept.items():
        if name in known and not (isinstance(value, str) and value and value.isascii() and value.isalnum()):
            raise HeadwaterError(f"{name} in {file} must be a text of letters and digits; {advice}")
    return {name: value for name, value in kept.items() if name in known}
