"""What a table that streams commit to needs now and then: fewer files, fewer snapshots, no orphans."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from pyspark.sql import Row, SparkSession
from pyspark.sql import functions as F

from headwater.pipeline.locks import free_abandoned_locks
from headwater.pipeline.settings import Catalog
from headwater.pipeline.tables import QUERY_PROPERTY

# Fewer small files than this in a partition are not worth a rewrite.
WORTH_REWRITING = 5
# Iceberg refuses less: a file that a writer has just written and not yet committed looks like an orphan.
YOUNGEST_ORPHAN = timedelta(hours=24)
# How long a stream may be away and still find its last commit.
LONGEST_ABSENCE = timedelta(days=30)


@dataclass(frozen=True, kw_only=True)
class Policy:
    """How much of the past is kept."""

    snapshots_for: timedelta = timedelta(hours=24)
    least_snapshots: int = 20
    orphans_for: timedelta = timedelta(days=3)


def measured(help: str) -> int:
    """A figure, and what it is called in a table."""
    figure: int = field(metadata={"help": help})
    return figure


@dataclass(frozen=True, kw_only=True)
class Figures:
    """A table's size: what is current, and what is kept for older snapshots too."""

    rows: int = measured("rows")
    files: int = measured("files")
    bytes: int = measured("bytes")
    manifests: int = measured("manifests")
    snapshots: int = measured("snapshots")
    kept_files: int = measured("files of all snapshots")
    kept_bytes: int = measured("bytes of all snapshots")


@dataclass(frozen=True, kw_only=True)
class Upkeep:
    """What was done to one table."""

    table: str
    before: Figures
    after: Figures
    rewritten_files: int
    expired_snapshots: int
    orphans: int


def look_after(spark: SparkSession, catalog: Catalog, name: str, policy: Policy, now: datetime) -> Upkeep:
    """Compact, expire and clean one table; streams may go on writing to it."""
    table = catalog.table(name)
    if catalog.type == "hive":
        free_abandoned_locks(spark, catalog, name)
    before = figures(spark, table)

    def call(procedure: str, arguments: str = "") -> list[Row]:
        named = f"table => '{catalog.namespace}.{name}'{arguments}"
        return spark.sql(f"CALL {catalog.name}.system.{procedure}({named})").collect()

    options = f"map('min-input-files', '{WORTH_REWRITING}', 'partial-progress.enabled', 'true')"
    (rewritten,) = call("rewrite_data_files", f", options => {options}")
    call("rewrite_manifests")
    expire_before = now - policy.snapshots_for
    pin_streams(spark, table, policy, expire_before)
    there = spark.table(f"{table}.snapshots").count()
    call(
        "expire_snapshots",
        f", older_than => {moment(expire_before)}, retain_last => {policy.least_snapshots}, stream_results => true",
    )
    # Listed by Iceberg's own client, which needs no Hadoop file system for the store.
    orphans = call("remove_orphan_files", f", older_than => {moment(now - policy.orphans_for)}, prefix_listing => true")
    after = figures(spark, table)
    return Upkeep(
        table=table,
        before=before,
        after=after,
        rewritten_files=rewritten["rewritten_data_files_count"],
        expired_snapshots=there - after.snapshots,
        orphans=len(orphans),
    )


def pin_streams(spark: SparkSession, table: str, policy: Policy, expire_before: datetime) -> None:
    """Tag the last commit of each stream that would expire: a stream looks for it when it comes back."""
    snapshots = spark.table(f"{table}.snapshots").select(
        "snapshot_id", "committed_at", F.col("summary")[QUERY_PROPERTY].alias("query")
    )
    newest = snapshots.orderBy(F.col("committed_at").desc()).limit(policy.least_snapshots)
    safe = {row.snapshot_id for row in newest.collect()}
    last = (
        snapshots.where("query IS NOT NULL")
        .groupBy("query")
        .agg(F.max_by("snapshot_id", "committed_at").alias("snapshot"), F.max("committed_at").alias("at"))
        .where(F.col("at") < F.lit(expire_before))
    )
    for row in last.collect():
        if row.snapshot not in safe:
            spark.sql(
                f"ALTER TABLE {table} CREATE OR REPLACE TAG `headwater-{row.query}` AS OF VERSION {row.snapshot} "
                f"RETAIN {LONGEST_ABSENCE.days} DAYS"
            )


def figures(spark: SparkSession, table: str) -> Figures:
    """Measure a table."""
    current = one(spark, f"SELECT count(*), sum(file_size_in_bytes), sum(record_count) FROM {table}.files")
    kept = one(
        spark,
        f"SELECT count(*), sum(size) FROM (SELECT file_path, first(file_size_in_bytes) AS size "
        f"FROM {table}.all_files GROUP BY file_path)",
    )
    return Figures(
        rows=current[2] or 0,
        files=current[0],
        bytes=current[1] or 0,
        manifests=one(spark, f"SELECT count(*) FROM {table}.manifests")[0],
        snapshots=one(spark, f"SELECT count(*) FROM {table}.snapshots")[0],
        kept_files=kept[0],
        kept_bytes=kept[1] or 0,
    )


def one(spark: SparkSession, query: str) -> Row:
    """The only row of an answer."""
    (row,) = spark.sql(query).collect()
    return row


def moment(time: datetime) -> str:
    """A moment in SQL."""
    return f"TIMESTAMP '{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC'"
