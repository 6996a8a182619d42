"""Where one lab lives and what its services are called: all that a service needs to know."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from urllib.parse import unquote, urlsplit

from headwater.artifacts import user_cache
from headwater.errors import HeadwaterError
from headwater.stack.credentials import CREDENTIALS_FILE, Credentials, load_credentials
from headwater.stack.files import private_folder, write_private
from headwater.stack.java import find_java
from headwater.stack.ports import remembered_ports
from headwater.stack.settings import CONFIG_VARIABLE, DEFAULT_PORTS, LabSettings, load_lab_settings

HOME = ".lab"
HOME_VARIABLE = "HEADWATER_LAB_HOME"
# Java, Kafka and Spark take these for the space between two paths, or for the end of one.
SEPARATORS = ":,;*?"

# How a client addresses each service that the lab runs itself.
ADDRESSES = {
    "kafka": "{host}:{port}",
    "registry": "http://{host}:{port}/apis/ccompat/v7",
    "connect": "http://{host}:{port}",
    "object-store": "http://{host}:{port}",
    "postgres": "postgresql://shop@{host}:{port}/shop",
    "metastore": "thrift://{host}:{port}",
    "history": "http://{host}:{port}",
    "lineage": "http://{host}:{port}",
}


@dataclass(frozen=True, kw_only=True)
class Lab:
    """Where one lab lives and what its services are called: all that a service needs to know."""

    home: Path
    settings: LabSettings
    # By port name: kafka, kafka_controller, registry, connect, object_store, postgres, metastore, history, lineage.
    ports: Mapping[str, int]
    credentials: Credentials
    # The java executable.
    java: Path
    # What was downloaded, for every lab of this user.
    cache: Path

    @property
    def host(self) -> str:
        """The address that services listen on."""
        return self.settings.host

    @property
    def client_host(self) -> str:
        """The address at which clients on this machine find the services."""
        return {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host)

    def data(self, name: str) -> Path:
        """The folder of what a service keeps, which survives a stop."""
        return made(self.home / "data" / name)

    def config(self, name: str) -> Path:
        """The folder of a service's configuration, which may hold secrets: only its owner can enter."""
        return private_folder(self.home / "config" / name)

    def log(self, name: str) -> Path:
        """The log file of a service or a job."""
        return made(self.home / "logs") / f"{name}.log"

    def run(self) -> Path:
        """The folder that says what runs."""
        return private_folder(self.home / "run")

    def jar_folder(self, jar_set: str) -> Path:
        """The folder of a set of jars.lock, filled with links into the cache before a service that names it starts."""
        return made(self.home / "jars" / jar_set)

    def external(self, name: str) -> str | None:
        """The address of a service that the user runs himself, without its password; None if the lab runs it."""
        settings = self.settings
        return {
            "kafka": settings.kafka_bootstrap,
            "registry": settings.registry_url,
            "connect": settings.connect_url,
            "object-store": settings.object_store_endpoint,
            "postgres": without_password(settings.postgres_url),
            "metastore": settings.metastore_uri,
            "lineage": settings.lineage_url,
        }.get(name)

    def address(self, name: str) -> str:
        """What a client of a service uses, whether the lab or the user runs it. It holds no password."""
        if own := self.external(name):
            return own
        host = f"[{self.client_host}]" if ":" in self.client_host else self.client_host
        return ADDRESSES[name].format(host=host, port=self.ports[name.replace("-", "_")])


def open_lab(
    env: Mapping[str, str], cwd: Path, *, home: Path | None = None, config: Path | None = None, make: bool = True
) -> Lab:
    """The lab whose home is given, or that HEADWATER_LAB_HOME names, or `.lab` in cwd; made if absent and `make`."""
    settings = load_lab_settings({**env, CONFIG_VARIABLE: str(config)} if config else env, cwd)
    # The path is resolved, so that a lab is the same lab whichever way its home is written.
    place = (cwd / (home or Path(env.get(HOME_VARIABLE) or HOME)).expanduser()).resolve()
    if make:
        make_home(place)
    made_before = place.is_dir()
    return Lab(
        home=place,
        settings=settings,
        ports={**DEFAULT_PORTS, **(remembered_ports(place) if made_before else {}), **settings.ports},
        credentials=given_credentials(load_credentials(place) if made_before else Credentials(), settings),
        java=find_java(env),
        cache=user_cache(env),
    )


def make_home(home: Path) -> None:
    """Make the folder of a lab, which only its owner can enter and git leaves alone."""
    if bad := [mark for mark in SEPARATORS if mark in str(home)]:
        raise HeadwaterError(
            f"the lab's services cannot live in {home}: they read {' and '.join(map(repr, bad))} as the space between "
            f"two paths; name another folder with --home"
        )
    if home.is_dir() and not (home / CREDENTIALS_FILE).exists() and any(home.iterdir()):
        raise HeadwaterError(f"{home} is not empty and no lab is in it; name another folder with --home")
    private_folder(home)
    load_credentials(home)
    if not (home / ".gitignore").exists():
        write_private(home / ".gitignore", "*\n")


def given_credentials(own: Credentials, settings: LabSettings) -> Credentials:
    """The lab's credentials, with those of the services that the user runs himself in their place."""
    given = {
        "registry_user": settings.registry_username,
        "registry_password": settings.registry_password,
        "s3_access_key": settings.object_store_access_key,
        "s3_secret_key": settings.object_store_secret_key,
    }
    if settings.postgres_url:
        url = urlsplit(settings.postgres_url)
        given |= {"shop_user": unquote(url.username or ""), "shop_password": unquote(url.password or "")}
    return replace(own, **{name: value for name, value in given.items() if value is not None})


def without_password(url: str | None) -> str | None:
    """The same URL without its password: for messages, and for configuration that others may read."""
    if url is None:
        return None
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return parts._replace(netloc=user.partition(":")[0] + at + host).geturl()


def made(folder: Path) -> Path:
    """The folder, which exists now."""
    os.makedirs(folder, exist_ok=True)
    return folder
