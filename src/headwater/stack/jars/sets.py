"""The jars that the lab runs on: what is asked for, and the file `jars.lock` that pins what came of it.

A set is a folder on a class path. It leaves out what the program that loads it has already, because that is less to
download and because two copies of such a class are two different classes.
"""

import importlib.util
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from headwater.artifacts import Artifact
from headwater.errors import HeadwaterError

LOCK = "jars.lock"


@dataclass(frozen=True, kw_only=True)
class JarSet:
    """Files that are used together: coordinates to resolve, and the dependencies to leave out."""

    # group:artifact:version[:extension[:classifier]]
    roots: tuple[str, ...]
    # group:artifact, where * stands for any.
    without: tuple[str, ...] = ()


# A Connect worker gives these to every plug-in; an older copy beside a plug-in breaks it.
WORKER_HAS = (
    "org.apache.kafka:*",
    "org.slf4j:*",
    "com.fasterxml.jackson.core:*",
    "com.fasterxml.jackson.datatype:jackson-datatype-jdk8",
    "com.github.luben:zstd-jni",
    "org.xerial.snappy:snappy-java",
    "org.lz4:lz4-java",
    "at.yawk.lz4:lz4-java",
    "jakarta.ws.rs:*",
)

SETS: Mapping[str, JarSet] = {
    # The broker and the Connect worker.
    "kafka": JarSet(
        roots=(
            "org.apache.kafka:kafka_2.13:4.3.1",
            "org.apache.kafka:connect-runtime:4.3.1",
            "org.apache.kafka:connect-json:4.3.1",
            "org.apache.kafka:connect-transforms:4.3.1",
            "org.apache.logging.log4j:log4j-api:2.25.3",
            "org.apache.logging.log4j:log4j-core:2.25.3",
            "org.apache.logging.log4j:log4j-slf4j-impl:2.25.3",
        ),
        # Needed to compile Scala macros, not to run them.
        without=("org.scala-lang:scala-reflect",),
    ),
    # 3.0 is the last that runs on Java 17.
    "registry": JarSet(roots=("io.apicurio:apicurio-registry-app:3.0.9:tar.gz:all",)),
    "debezium": JarSet(roots=("io.debezium:debezium-connector-postgres:3.6.1.Final",), without=WORKER_HAS),
    "s3-sink": JarSet(
        roots=(
            "org.apache.camel.kafkaconnector:camel-kafka-connector:0.11.0",
            "org.apache.camel:camel-aws2-s3:3.11.1",
        ),
        # An old converter with its HTTP client and Kotlin, and the asynchronous client of the AWS SDK.
        without=(
            *WORKER_HAS,
            "io.apicurio:*",
            "com.squareup.*:*",
            "com.worldturner.medeia:*",
            "org.jetbrains*:*",
            "org.jboss.spec.javax.ws.rs:*",
            "javax.ws.rs:*",
            "com.google.protobuf:*",
            "com.fasterxml.jackson.dataformat:*",
            "org.apache.avro:*",
            "org.apache.commons:commons-compress",
            "software.amazon.awssdk:netty-nio-client",
            "io.netty:*",
            "com.typesafe.netty:*",
        ),
    ),
    # Hadoop and the Hive client, which this needs too, are among pyspark's own jars.
    "iceberg-sink": JarSet(
        roots=(
            "org.apache.iceberg:iceberg-kafka-connect:1.12.0",
            "org.apache.iceberg:iceberg-parquet:1.12.0",
            "org.apache.iceberg:iceberg-aws:1.12.0",
            "org.apache.iceberg:iceberg-aws-bundle:1.12.0",
            # The newest that is published; it speaks to the rest of 1.12.
            "org.apache.iceberg:iceberg-hive-metastore:1.11.0",
        ),
        without=(*WORKER_HAS, "org.apache.orc:*", "org.apache.httpcomponents*:*"),
    ),
    "avro-converter": JarSet(
        roots=("io.apicurio:apicurio-registry-utils-converter:2.6.13.Final",),
        without=(
            *WORKER_HAS,
            "io.apicurio:apicurio-registry-serdes-jsonschema-serde",
            "com.networknt:*",
            "com.ethlo.time:*",
            "com.fasterxml.jackson.dataformat:*",
            "org.yaml:*",
        ),
    ),
    "spark": JarSet(
        roots=(
            "org.apache.spark:spark-sql-kafka-0-10_2.12:3.5.7",
            "org.apache.spark:spark-avro_2.12:3.5.7",
            "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.12.0",
            "org.apache.iceberg:iceberg-aws-bundle:1.12.0",
            # The agent that reports batch jobs; capture/spark/agent_jar.py pins the same.
            "io.openlineage:openlineage-spark_2.12:1.53.0",
        ),
        # What pyspark has.
        without=(
            "com.google.code.findbugs:jsr305",
            "commons-logging:*",
            "org.apache.hadoop:hadoop-client-*",
            "org.apache.spark:spark-tags_2.12",
            "org.lz4:lz4-java",
            "org.scala-lang:scala-library",
            "org.slf4j:slf4j-api",
            "org.tukaani:xz",
            "org.xerial.snappy:snappy-java",
        ),
    ),
}


@dataclass(frozen=True, order=True)
class Coordinate:
    """The name of one file of a Maven repository."""

    group: str
    artifact: str
    version: str
    extension: str = "jar"
    classifier: str = ""

    @classmethod
    def parse(cls, written: str) -> "Coordinate":
        """Read group:artifact:version[:extension[:classifier]]; ValueError if it is none."""
        parts = written.split(":")
        if not 3 <= len(parts) <= 5 or not all(parts):
            raise ValueError(f"{written!r} is not group:artifact:version[:extension[:classifier]]")
        return cls(*parts)

    def __str__(self) -> str:
        """The shortest form that parse reads back."""
        parts = [self.group, self.artifact, self.version]
        if self.classifier or self.extension != "jar":
            parts.append(self.extension)
        if self.classifier:
            parts.append(self.classifier)
        return ":".join(parts)

    @property
    def path(self) -> str:
        """Where the file is, below the root of a repository."""
        tail = f"-{self.classifier}" if self.classifier else ""
        name = f"{self.artifact}-{self.version}{tail}.{self.extension}"
        return f"{self.group.replace('.', '/')}/{self.artifact}/{self.version}/{name}"


def pyspark_jars() -> Path:
    """The folder of the jars that pyspark brings, found without importing it."""
    package = importlib.util.find_spec("pyspark")
    if package is None or package.origin is None:
        raise HeadwaterError("pyspark is not installed; install it with: pip install 'headwater[lab]'")
    return Path(package.origin).parent / "jars"


def read_lock() -> Mapping[str, tuple[Artifact, ...]]:
    """The files of every set, by the set's name, as `jars.lock` beside this module pins them."""
    return parse_lock(files("headwater.stack.jars").joinpath(LOCK).read_text("utf-8"))


def parse_lock(text: str) -> dict[str, tuple[Artifact, ...]]:
    """The files of every set in the text of a lock: lines of set, coordinate, size and SHA-256."""
    found: dict[str, list[Artifact]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        try:
            name, coordinate, size, sha256 = line.split()
            file = Artifact(Coordinate.parse(coordinate).path, int(size), sha256)
        except ValueError as error:
            raise HeadwaterError(
                f"{LOCK} line {number} cannot be read ({error}); write it anew with: make jars"
            ) from error
        found.setdefault(name, []).append(file)
    return {name: tuple(artifacts) for name, artifacts in found.items()}
