"""What the rules say that transforms make of a record is what a real worker makes of it."""

from collections.abc import Iterator, Mapping

import pytest

from headwater.capture.connect.files import Connector
from headwater.capture.connect.lineage import TopicSchemas
from headwater.capture.connect.topic_columns import columns, record_of
from headwater.capture.connect.topic_schemas import Schemas
from headwater.capture.connect.transforms import chain_of, run
from headwater.capture.connect.transforms.flow import Record, to_field
from headwater.capture.connect.worker import Worker
from headwater.pipeline.connectors.files import load, placeholders, secrets
from headwater.pipeline.settings import PipelineSettings
from headwater.pipeline.shop import Shop, open_shop
from tests.capture.connect.cases import shown
from tests.stack.small import wait_for

PATIENCE = 120.0
TABLE = "transformed"
COLUMNS = (
    "id text PRIMARY KEY, item text, qty integer NOT NULL, price double precision, amount numeric(10, 2), card text, "
    "at timestamp, day date, note text, doc jsonb, flag boolean, raw bytea, tags text[]"
)
KAFKA = "org.apache.kafka.connect.transforms."
UNWRAP = "io.debezium.transforms.ExtractNewRecordState"

CHAINS: dict[str, Mapping[str, str]] = {
    "fields": {
        "transforms": "unwrap,replace,insert,cast,mask,time,name",
        "transforms.unwrap.type": UNWRAP,
        "transforms.unwrap.add.fields": "op,source.lsn,table",
        "transforms.unwrap.delete.tombstone.handling.mode": "rewrite",
        "transforms.replace.type": f"{KAFKA}ReplaceField$Value",
        "transforms.replace.exclude": "note",
        "transforms.replace.renames": "item:thing",
        "transforms.insert.type": f"{KAFKA}InsertField$Value",
        "transforms.insert.topic.field": "_topic",
        "transforms.insert.static.field": "shop",
        "transforms.insert.static.value": "north",
        "transforms.cast.type": f"{KAFKA}Cast$Value",
        "transforms.cast.spec": "qty:string,price:float32",
        "transforms.mask.type": f"{KAFKA}MaskField$Value",
        "transforms.mask.fields": "card",
        "transforms.time.type": f"{KAFKA}TimestampConverter$Value",
        "transforms.time.field": "at",
        "transforms.time.target.type": "string",
        "transforms.time.format": "yyyy-MM-dd",
        "transforms.name.type": f"{KAFKA}SetSchemaMetadata$Value",
        "transforms.name.schema.name": "shop.Transformed",
    },
    "keys": {
        "transforms": "unwrap,key,item,row,topic",
        "transforms.unwrap.type": UNWRAP,
        "transforms.key.type": f"{KAFKA}ValueToKey",
        "transforms.key.fields": "item,qty",
        "transforms.item.type": f"{KAFKA}ExtractField$Key",
        "transforms.item.field": "item",
        "transforms.row.type": f"{KAFKA}HoistField$Value",
        "transforms.row.field": "row",
        "transforms.topic.type": f"{KAFKA}RegexRouter",
        "transforms.topic.regex": r"(.*)\.public\.(.*)",
        "transforms.topic.replacement": "$1-$2",
    },
    "headers": {
        "transforms": "one,unwrap,header,drop,flat",
        "transforms.one.type": "io.debezium.transforms.ByLogicalTableRouter",
        "transforms.one.topic.regex": "(.*)transformed",
        "transforms.one.topic.replacement": "$1all",
        "transforms.unwrap.type": UNWRAP,
        "transforms.header.type": f"{KAFKA}HeaderFrom$Value",
        "transforms.header.fields": "note",
        "transforms.header.headers": "about",
        "transforms.header.operation": "move",
        "transforms.drop.type": f"{KAFKA}ReplaceField$Value",
        "transforms.drop.exclude": "card",
        "transforms.drop.predicate": "has",
        "transforms.flat.type": f"{KAFKA}Flatten$Key",
        "predicates": "has",
        "predicates.has.type": f"{KAFKA}predicates.HasHeaderKey",
        "predicates.has.name": "about",
    },
}


@pytest.fixture(scope="module")
def worker(settings: PipelineSettings) -> Iterator[Worker]:
    with Worker(settings.connect.url, secrets(settings)) as worker:
        yield worker


@pytest.fixture(scope="module")
def shop(settings: PipelineSettings) -> Iterator[Shop]:
    row = "('a', 'pen', 2, 1.5, 3.25, '4111', '2026-01-01', '2026-01-02', 'hi', '{}', true, 'x', '{a,b}')"
    with open_shop(settings.shop.url) as shop:
        shop.execute(f"CREATE TABLE {TABLE} ({COLUMNS})")
        shop.execute(f"INSERT INTO {TABLE} VALUES {row}")
        shop.commit()
        yield shop
        shop.execute(f"DROP TABLE {TABLE}")
        shop.commit()


def connector(name: str, chain: Mapping[str, str], settings: PipelineSettings) -> Connector:
    """A source of the table with a chain of transforms, and with schemas for keys too."""
    usual = load("orders-source", placeholders(settings)).config
    plain = {key: value for key, value in usual.items() if not key.startswith(("transforms", "predicates", "key."))}
    keys = {key.replace("value.", "key.", 1): value for key, value in plain.items() if key.startswith("value.conv")}
    own = {
        "table.include.list": f"public.{TABLE}",
        "slot.name": f"rules_{name}",
        "slot.drop.on.stop": "true",
        "publication.name": f"rules_{name}",
        "topic.prefix": f"rules_{name}",
        "decimal.handling.mode": "precise",
        "heartbeat.interval.ms": "0",
    }
    return Connector(f"rules-{name}", {**plain, **keys, **own, **chain})


def written(worker: Worker, made: Connector, schemas: Schemas) -> tuple[str, TopicSchemas]:
    """The topic that a connector writes to, and what the registry says is in it."""
    try:
        worker.apply(made)
        wait_for(lambda: worker.topics(made.name), PATIENCE)
        (topic,) = worker.topics(made.name)
        wait_for(lambda: schemas.of_topic(made.config, topic).value, PATIENCE)
        return topic, schemas.of_topic(made.config, topic)
    finally:
        worker.delete(made.name)


def told(record: Record) -> str:
    """The columns of a record's topic."""
    return shown([to_field(each) for each in columns(record.key, record.value)])


@pytest.mark.long
@pytest.mark.usefixtures("shop")
def test_a_topic_behind_transforms_has_the_columns_that_the_rules_say(
    worker: Worker, settings: PipelineSettings
) -> None:
    login = f"{settings.registry.username}:{settings.registry.password}@"
    with Schemas(settings.registry.url.replace("://", f"://{login}")) as schemas:
        plain = connector("plain", {}, settings)
        before, change = written(worker, plain, schemas)
        for name, chain in CHAINS.items():
            made = connector(name, chain, settings)
            topic, real = written(worker, made, schemas)
            start = record_of(before.replace("rules_plain", f"rules_{name}"), change)
            said = run(chain_of(made.config), start)
            assert said is not None
            actual = record_of(topic, real)
            assert said.topic == topic, name
            assert told(said) == told(actual), name
