"""The schema registry: Apicurio, which also speaks Confluent's API, with its data in an H2 file and a password."""

import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from headwater.stack.files import write_private
from headwater.stack.jars.sets import SETS, Coordinate
from headwater.stack.java import FRUGAL
from headwater.stack.lab import Lab
from headwater.stack.service import Command, Service
from headwater.stack.services.probes import http_problem, login
from headwater.stack.services.properties import properties

PROGRAM = Coordinate.parse(SETS["registry"].roots[0])


def application_properties(lab: Lab) -> Mapping[str, str]:
    """The registry's settings, with the password of its one user."""
    user, password = lab.credentials.registry_user, lab.credentials.registry_password
    return {
        # Above the settings inside the program, which are at 250.
        "config_ordinal": "300",
        "quarkus.http.host": lab.host,
        "quarkus.http.port": str(lab.ports["registry"]),
        "quarkus.banner.enabled": "false",
        "quarkus.log.level": "WARN",
        'quarkus.log.category."io.quarkus".level': "INFO",
        # The program sets these to INFO itself: every request, and who made it.
        'quarkus.log.category."io.apicurio".level': "WARN",
        "quarkus.http.access-log.enabled": "false",
        "quarkus.log.console.format": "%d{yyyy-MM-dd HH:mm:ss,SSS} %-5p %c{1}: %m%n",
        # Without the delay, a schema that was registered is on disk: a killed registry must not forget it.
        "apicurio.datasource.url": f"jdbc:h2:file:{lab.data('registry') / 'registry'};WRITE_DELAY=0",
        "quarkus.http.auth.basic": "true",
        "quarkus.security.users.embedded.enabled": "true",
        "quarkus.security.users.embedded.plain-text": "true",
        f"quarkus.security.users.embedded.users.{user}": password,
        f"quarkus.security.users.embedded.roles.{user}": "sr-admin",
        "quarkus.http.auth.permission.all.paths": "/apis/*",
        "quarkus.http.auth.permission.all.policy": "authenticated",
    }


def prepare(lab: Lab) -> None:
    """Unpack the program the first time, for every lab of this user, and write its settings."""
    unpack(lab.jar_folder("registry") / Path(PROGRAM.path).name, program_folder(lab))
    write_private(lab.config("registry") / "application.properties", properties(application_properties(lab)))


def program_folder(lab: Lab) -> Path:
    """Where the unpacked program is."""
    return lab.cache / "programs" / f"{PROGRAM.artifact}-{PROGRAM.version}"


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar file into a folder that appears when it is complete, also if several do this at once."""
    if folder.exists():
        return
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        whole = Path(temporary) / "whole"
        with tarfile.open(archive) as tar:
            # The first releases of Python 3.11 know no filters; the archive is one whose digest is pinned.
            tar.extraction_filter = getattr(tarfile, "data_filter", None)
            tar.extractall(whole)
        try:
            whole.rename(folder)
        except OSError:
            # Whoever comes second keeps what the first made.
            if not folder.exists():
                raise


def command(lab: Lab) -> Command:
    """The registry."""
    settings = lab.config("registry") / "application.properties"
    options = (f"-Dquarkus.config.locations={settings.as_uri()}",)
    program = program_folder(lab) / f"{PROGRAM.artifact}-{PROGRAM.version}-runner.jar"
    return Command(argv=(str(lab.java), "-Xmx256m", *FRUGAL, *options, "-jar", str(program)), cwd=lab.data("registry"))


def problem(lab: Lab) -> str | None:
    """None when the list of subjects can be had with the lab's password."""
    known = login(lab.credentials.registry_user, lab.credentials.registry_password)
    return http_problem(f"{lab.address('registry')}/subjects", known)


REGISTRY = Service(
    name="registry",
    title=f"Apicurio Registry {PROGRAM.version}",
    jars=("registry",),
    prepare=prepare,
    command=command,
    problem=problem,
    address=lambda lab: lab.address("registry"),
)
