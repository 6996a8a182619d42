"""The broker: Apache Kafka in KRaft mode, one node that is its own controller."""

import base64
import uuid
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from confluent_kafka import KafkaException
from confluent_kafka.admin import AdminClient

from headwater.stack.files import write_private
from headwater.stack.java import jvm
from headwater.stack.lab import Lab
from headwater.stack.processes.spawning import run_tool
from headwater.stack.service import Command, Service
from headwater.stack.services.addresses import endpoint
from headwater.stack.services.log4j import log4j
from headwater.stack.services.probes import PATIENCE, tcp_problem
from headwater.stack.services.properties import properties

# A topic that nobody made before its first record has this many partitions.
PARTITIONS = 2

LOG_LEVELS = {"kafka.server.KafkaRaftServer": "info"}


def server_properties(lab: Lab) -> Mapping[str, str]:
    """The broker's settings: those of a small node, whose internal topics have one replica and few partitions."""
    port, controller = lab.ports["kafka"], f"127.0.0.1:{lab.ports['kafka_controller']}"
    return {
        "process.roles": "broker,controller",
        "node.id": "1",
        "controller.quorum.voters": f"1@{controller}",
        "listeners": f"PLAINTEXT://{endpoint(lab.host, port)},CONTROLLER://{controller}",
        "advertised.listeners": f"PLAINTEXT://{endpoint(lab.client_host, port)}",
        "controller.listener.names": "CONTROLLER",
        "inter.broker.listener.name": "PLAINTEXT",
        "log.dirs": str(logs(lab)),
        "num.partitions": str(PARTITIONS),
        "default.replication.factor": "1",
        "offsets.topic.replication.factor": "1",
        "offsets.topic.num.partitions": "5",
        "transaction.state.log.replication.factor": "1",
        "transaction.state.log.num.partitions": "5",
        "transaction.state.log.min.isr": "1",
        "share.coordinator.state.topic.replication.factor": "1",
        "share.coordinator.state.topic.num.partitions": "1",
        "share.coordinator.state.topic.min.isr": "1",
        # The default is a quarter of the heap that we give.
        "log.cleaner.dedupe.buffer.size": str(16 * 1024 * 1024),
        # A new consumer need not wait for others of its group to come.
        "group.initial.rebalance.delay.ms": "0",
        "num.io.threads": "4",
        "num.network.threads": "2",
    }


def logs(lab: Lab) -> Path:
    """The folder of the topics' data."""
    return lab.data("kafka") / "logs"


def class_path(lab: Lab) -> Path:
    """The jars of the broker and of the Connect worker."""
    return lab.jar_folder("kafka") / "*"


def prepare(lab: Lab) -> None:
    """Write the settings, and lay out the data folder the first time."""
    config = lab.config("kafka")
    write_private(config / "server.properties", properties(server_properties(lab)))
    write_private(config / "log4j2.properties", log4j(LOG_LEVELS))
    # Written last by the formatting, so a format that was cut short is done again.
    if not (logs(lab) / "meta.properties").exists():
        arguments = ("format", "--ignore-formatted", "-t", new_cluster_id(), "-c", str(config / "server.properties"))
        run_tool(lab, "kafka-format", java_command(lab, "kafka.tools.StorageTool", *arguments))


def new_cluster_id() -> str:
    """A random cluster id in Kafka's spelling; not one that begins with a dash, which the tool takes for an option."""
    while (written := base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")).startswith("-"):
        pass
    return written


def java_command(lab: Lab, main: str, *args: str) -> Command:
    """A program from Kafka's jars."""
    options = (f"-Dlog4j2.configurationFile={lab.config('kafka') / 'log4j2.properties'}",)
    return Command(argv=jvm(lab.java, main, *args, heap="320m", class_path=[class_path(lab)], options=options))


def command(lab: Lab) -> Command:
    """The broker."""
    return java_command(lab, "kafka.Kafka", str(lab.config("kafka") / "server.properties"))


def problem(lab: Lab) -> str | None:
    """None when the broker gives the list of its topics."""
    first = urlsplit(f"//{lab.address('kafka').partition(',')[0]}")
    if wrong := tcp_problem(first.hostname or "", first.port or 0):
        return wrong
    # Unless told so, the client writes to our standard error about a broker that is still starting.
    client = AdminClient({"bootstrap.servers": lab.address("kafka"), "log_level": 0})
    try:
        client.list_topics(timeout=PATIENCE)
    except KafkaException as error:
        return f"lists no topics: {error.args[0].str()}"
    return None


KAFKA = Service(
    name="kafka",
    title="Apache Kafka 4.3.1",
    jars=("kafka",),
    prepare=prepare,
    command=command,
    problem=problem,
    address=lambda lab: lab.address("kafka"),
)
