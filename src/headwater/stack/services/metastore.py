"""The table catalog: a Hive Metastore from pyspark's own jars, with its data in a Derby database."""

import socket
import struct
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from headwater.stack.files import write_private
from headwater.stack.jars.sets import pyspark_jars
from headwater.stack.java import jvm
from headwater.stack.lab import Lab
from headwater.stack.service import Command, Service
from headwater.stack.services.log4j import log4j
from headwater.stack.services.object_store import WAREHOUSE
from headwater.stack.services.probes import PATIENCE, reason

SOURCE = Path(__file__).with_name("Metastore.java")

# Hive 2.3 and its DataNucleus look into classes that Java 17 keeps closed.
OPEN = tuple(
    f"--add-opens=java.base/{package}=ALL-UNNAMED"
    for package in ("java.lang", "java.net", "java.util", "java.util.concurrent")
)
LOG_LEVELS = {
    # These warn of what is meant to be so: tables that are made because they are absent, and no native Hadoop.
    "DataNucleus": "error",
    "org.apache.hadoop.hive.metastore": "error",
    "org.apache.hadoop.util.NativeCodeLoader": "error",
    # It calls every client that goes away an error.
    "org.apache.thrift.server.TThreadPoolServer": "off",
}

ALIVE = 2


def hive_site(lab: Lab) -> Mapping[str, str]:
    """The metastore's settings."""
    return {
        "javax.jdo.option.ConnectionURL": f"jdbc:derby:{database(lab)}",
        "javax.jdo.option.ConnectionDriverName": "org.apache.derby.jdbc.EmbeddedDriver",
        "datanucleus.schema.autoCreateAll": "true",
        "hive.metastore.schema.verification": "false",
        "hive.metastore.warehouse.dir": f"s3://{WAREHOUSE}/",
        "hive.async.log.enabled": "false",
        # The metastore makes a folder for each table, which an object store does not need: it may do so in a folder of
        # its own, and needs no S3 client.
        "fs.s3.impl": "org.apache.hadoop.fs.viewfs.ViewFileSystemOverloadScheme",
        f"fs.viewfs.mounttable.{WAREHOUSE}.linkFallback": folders(lab).as_uri(),
    }


def database(lab: Lab) -> Path:
    """The folder of the Derby database."""
    return lab.data("metastore") / "derby"


def folders(lab: Lab) -> Path:
    """The folder that the metastore believes to be the warehouse."""
    return lab.data("metastore") / "folders"


def prepare(lab: Lab) -> None:
    """Write the settings."""
    folders(lab).mkdir(exist_ok=True)
    lines = "".join(
        f"<property><name>{escape(name)}</name><value>{escape(value)}</value></property>\n"
        for name, value in hive_site(lab).items()
    )
    write_private(lab.config("metastore") / "hive-site.xml", f"<configuration>\n{lines}</configuration>\n")
    write_private(lab.config("metastore") / "log4j2.properties", log4j(LOG_LEVELS))


def command(lab: Lab) -> Command:
    """The metastore, whose main class is compiled in memory by the compiler that Spark has for its queries."""
    config = lab.config("metastore")
    options = (
        f"-Dlog4j2.configurationFile={config / 'log4j2.properties'}",
        "-Dderby.stream.error.field=java.lang.System.err",
        *OPEN,
    )
    arguments = (str(SOURCE), "Metastore", str(database(lab)), lab.host, str(lab.ports["metastore"]))
    return Command(
        argv=jvm(
            lab.java,
            "org.codehaus.janino.SimpleCompiler",
            *arguments,
            heap="256m",
            class_path=[config, pyspark_jars() / "*"],
            options=options,
        ),
        cwd=lab.data("metastore"),
    )


def problem(lab: Lab) -> str | None:
    """None when the metastore says that it is alive."""
    place = urlsplit(lab.address("metastore"))
    try:
        status = ask_status(place.hostname or "", place.port or 0)
    except OSError as error:
        return reason(error)
    return None if status == ALIVE else f"says that its status is {status}"


def ask_status(host: str, port: int) -> int:
    """Call `getStatus`, which every Thrift service of this kind has, in Thrift's binary protocol."""
    name = b"getStatus"
    call, reply, field, stop = 0x80010001, 0x80010002, struct.pack("!bh", 8, 0), b"\0"
    header = struct.pack("!i", len(name)) + name + struct.pack("!i", 0)
    wanted = struct.pack("!I", reply) + header + field
    with socket.create_connection((host, port), PATIENCE) as connection:
        connection.sendall(struct.pack("!I", call) + header + stop)
        with connection.makefile("rb") as answer:
            got = answer.read(len(wanted) + 4)
    if len(got) != len(wanted) + 4 or not got.startswith(wanted):
        raise OSError("the answer is not one of a metastore")
    status: int = struct.unpack("!i", got[-4:])[0]
    return status


METASTORE = Service(
    name="metastore",
    title="Hive Metastore 2.3.9",
    prepare=prepare,
    command=command,
    problem=problem,
    address=lambda lab: lab.address("metastore"),
)
