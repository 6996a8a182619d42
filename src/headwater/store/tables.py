"""What is remembered, as tables. Times are microseconds since the epoch, UTC.

Every row is a fact that can be merged: a set member, an earliest or latest time, or a register that the
newest event wins. That is why the order in which events arrive does not matter; docs/fold.md has the rules.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    SmallInteger,
    Table,
    Text,
    text,
)

metadata = MetaData()

# SQLite grows a rowid only from INTEGER; PostgreSQL wants eight bytes.
Id = BigInteger().with_variant(Integer(), "sqlite")
Time = BigInteger
# Bytewise order on every database: a name's place in a list must not depend on a server's locale.
Name = Text().with_variant(Text(collation="C"), "postgresql")
Hash = LargeBinary  # the first 16 bytes of SHA-256


def _table(name: str, *columns: Column[Any] | Index, rowid: bool = True) -> Table:
    return Table(name, metadata, *columns, sqlite_with_rowid=rowid)


def _partial_index(name: str, column: str) -> Index:
    """An index of the rows that have the column: most jobs and runs have no parent."""
    present = text(f"{column} IS NOT NULL")
    return Index(name, column, sqlite_where=present, postgresql_where=present)


meta = _table("meta", Column("key", Text, primary_key=True), Column("value", Text, nullable=False))

# -- the log: every accepted event, verbatim -------------------------------------------------------

event = _table(
    "event",
    Column("id", Id, primary_key=True, autoincrement=False),  # order of arrival
    Column("hash", Hash, nullable=False),
    Column("type", Text, nullable=False),  # START RUNNING COMPLETE FAIL ABORT OTHER, JOB, DATASET
    Column("event_time", Time, nullable=False),
    Column("received_at", Time, nullable=False),
    Column("run_id", Id),
    Column("job_id", Id),
    Column("dataset_id", Id),  # of a DatasetEvent
    Column("body", LargeBinary, nullable=False),  # JSON, packed
    # Copies of an event share its time, so one index finds them and orders the log; a hash alone would scatter writes.
    Index("event_time", "event_time", "hash", unique=True),
    Index("event_run", "run_id"),
)

diagnostic = _table(
    "diagnostic",
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("kind", Text, nullable=False),  # rejected duplicate late out-of-order invalid-facet
    Column("at", Time, nullable=False),  # when it was received
    Column("event_id", Id),
    Column("field", Text),  # what was wrong, as a path: run.runId, outputs[0].facets.schema
    Column("message", Text, nullable=False),
    Column("body", LargeBinary),  # a rejected event, packed, as it was sent
    Index("diagnostic_kind", "kind", "id"),
)

# -- names -----------------------------------------------------------------------------------------

namespace = _table(
    "namespace",
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("name", Name, nullable=False),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time, nullable=False),
    Column("owner", Text),
    Column("description", Text),
    Column("deleted_at", Time),  # hidden while this is not older than updated_at
    Column("jobs", Integer, nullable=False),  # how many rows, so that a list need not count them
    Column("datasets", Integer, nullable=False),
    Index("namespace_name", "name", unique=True),
)

source = _table(
    "source",
    Column("name", Name, primary_key=True),
    Column("type", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("description", Text),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time, nullable=False),
)

job = _table(
    "job",
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("namespace_id", Id, nullable=False),
    Column("name", Name, nullable=False),
    Column("created_at", Time, nullable=False),  # earliest event
    Column("updated_at", Time, nullable=False),  # latest event
    Column("deleted_at", Time),
    Column("latest_run_id", Id),  # the run that started last
    Column("edges_run_id", Id),  # the run whose datasets are the current edges
    Column("parent_job_id", Id),
    Column("parent_at", Time),
    Index("job_name", "namespace_id", "name", unique=True),
    Index("job_by_name", "name", "id"),
    Index("job_updated", "updated_at", "id"),
    Index("job_namespace_updated", "namespace_id", "updated_at", "id"),
    _partial_index("job_parent", "parent_job_id"),
    _partial_index("job_deleted", "deleted_at"),
)

# A dataset row is one reported name; rows that symlinks join share a root_id, the row that names the node.
dataset = _table(
    "dataset",
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("namespace_id", Id, nullable=False),
    Column("name", Name, nullable=False),
    Column("root_id", Id, nullable=False),
    Column("created_at", Time, nullable=False),
    Column("updated_at", Time, nullable=False),
    Column("deleted_at", Time),  # by the API
    Column("alive_at", Time),  # latest mention that is not a DROP
    Column("dropped_at", Time),  # latest DROP, or RENAME away; gone while not older than alive_at
    Index("dataset_name", "namespace_id", "name", unique=True),
    Index("dataset_by_name", "name", "id"),
    Index("dataset_root", "root_id"),
    _partial_index("dataset_deleted", "deleted_at"),
)

symlink = _table(
    "symlink",
    Column("dataset_id", Id, primary_key=True, autoincrement=False),  # whose facet said so
    Column("target_id", Id, primary_key=True, autoincrement=False),
    Column("type", Text, nullable=False),
    Index("symlink_target", "target_id"),
    rowid=False,
)

# -- runs and what they touched --------------------------------------------------------------------

run = _table(
    "run",
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("uuid", LargeBinary, nullable=False),  # 16 bytes
    Column("external_id", Text),  # the runId as sent, where it is not a UUID
    Column("job_id", Id),
    Column("job_at", Time),  # time of the event that named the job; the newest wins
    Column("declared", Boolean, nullable=False),  # not a run: a JobEvent, which claims edges like one
    Column("state", Text, nullable=False),  # NEW RUNNING COMPLETED FAILED ABORTED LOST
    Column("started_at", Time),  # earliest event; none while only a child has named this run
    Column("updated_at", Time),  # latest event
    Column("ended_at", Time),  # earliest terminal event
    Column("named_at", Time),  # earliest event that named a dataset
    Column("parent_id", Id),  # run.id
    Column("parent_at", Time),
    Column("root_id", Id),  # run.id
    Column("lost_at", Time),  # last sign of life of a run that was given up
    Index("run_uuid", "uuid", unique=True),
    Index("run_job", "job_id", "started_at", "uuid"),
    Index("run_started", "started_at", "id"),
    _partial_index("run_parent", "parent_id"),
)

# How long a run may be silent. Liveness is measured by our clock, so this is the one table that arrival decides.
lease = _table(
    "lease",
    Column("run_id", Id, primary_key=True, autoincrement=False),
    Column("seconds", Integer, nullable=False),
    Column("until", Time, nullable=False),
    Index("lease_until", "until"),
)

INPUT, OUTPUT = 0, 1

# Every dataset that a run named, since when.
io = _table(
    "io",
    Column("run_id", Id, primary_key=True, autoincrement=False),
    Column("direction", SmallInteger, primary_key=True, autoincrement=False),
    Column("dataset_id", Id, primary_key=True, autoincrement=False),
    Column("first_at", Time, nullable=False),
    rowid=False,
)

# Every dataset that a run of the job named; `current` ones are those of job.edges_run_id. The past is in `io`.
edge = _table(
    "edge",
    Column("job_id", Id, primary_key=True, autoincrement=False),
    Column("direction", SmallInteger, primary_key=True, autoincrement=False),
    Column("dataset_id", Id, primary_key=True, autoincrement=False),
    Column("current", Boolean, nullable=False),
    Index("edge_dataset", "dataset_id", "direction", "job_id"),
    rowid=False,
)

# One job feeding another, by an explicit lineage facet.
job_link = _table(
    "job_link",
    Column("from_job_id", Id, primary_key=True, autoincrement=False),
    Column("to_job_id", Id, primary_key=True, autoincrement=False),
    Column("first_at", Time, nullable=False),
    Index("job_link_to", "to_job_id"),
    rowid=False,
)

# A write by a run. A streaming run writes many versions; '' is a write whose version nobody said.
version = _table(
    "version",
    Column("dataset_id", Id, primary_key=True, autoincrement=False),
    Column("run_id", Id, primary_key=True, autoincrement=False),
    Column("version", Text, primary_key=True),
    Column("first_at", Time, nullable=False),
    Column("last_at", Time, nullable=False),
    Column("lifecycle", Text),  # CREATE ALTER DROP OVERWRITE RENAME TRUNCATE
    Column("lifecycle_at", Time),
    Column("schema", Hash),  # what was written, by the newest event that said so
    Column("schema_at", Time),
    Index("version_time", "dataset_id", "last_at"),
    rowid=False,
)

# -- schemas ---------------------------------------------------------------------------------------

schema = _table(
    "schema",
    Column("hash", Hash, primary_key=True),  # of names, types and nesting, in order
    Column("fields", LargeBinary, nullable=False),  # [{name, type, fields}], packed; descriptions are in the facet
    rowid=False,
)

# A schema that a dataset had: one row for as long as it lasts, whoever reads or writes. History is these by first_at.
dataset_schema = _table(
    "dataset_schema",
    Column("dataset_id", Id, primary_key=True, autoincrement=False),
    Column("schema", Hash, primary_key=True),
    Column("first_at", Time, nullable=False),
    Column("last_at", Time, nullable=False),
    Column("run", LargeBinary, nullable=False),  # UUID of the run at first_at; zeros for a DatasetEvent
    Column("written", Boolean, nullable=False),  # by a writer or the dataset itself; a reader may see only a part
    rowid=False,
)

# Every column name that a dataset ever had.
field = _table(
    "field",
    Column("dataset_id", Id, primary_key=True, autoincrement=False),
    Column("name", Name, primary_key=True),
    Index("field_name", "name"),
    rowid=False,
)

# -- column lineage --------------------------------------------------------------------------------

# A mapping is the content of a column-lineage claim, shared by every event that repeats it.
mapping = _table(
    "mapping",
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("hash", Hash, nullable=False),
    Index("mapping_hash", "hash", unique=True),
)

mapping_edge = _table(
    "mapping_edge",
    Column("mapping_id", Id, primary_key=True, autoincrement=False),
    Column("out_field", Name, primary_key=True),  # '' is the whole dataset
    Column("in_dataset_id", Id, primary_key=True, autoincrement=False),
    Column("in_field", Name, primary_key=True),  # '' is the whole dataset
    Column("direct", Boolean, nullable=False),
    Column("transformations", Text, nullable=False),  # JSON array of {type, subtype, description, masking}
    Index("mapping_edge_input", "in_dataset_id", "in_field", "mapping_id"),
    rowid=False,
)

COLUMNS, EXPLICIT = 1, 2

# "Job J says that dataset D is made like this." job_id 0: the dataset says it of itself.
claim = _table(
    "claim",
    Column("job_id", Id, primary_key=True, autoincrement=False),
    Column("dataset_id", Id, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("mapping_id", Id, primary_key=True, autoincrement=False),
    Column("first_at", Time, nullable=False),
    Column("last_at", Time, nullable=False),
    Column("current", Boolean, nullable=False),  # the newest of its job and dataset; explicit wins in one run
    Column("run", LargeBinary, nullable=False),  # UUID of the run at last_at; zeros where a dataset speaks for itself
    Index("claim_dataset", "dataset_id", "job_id"),
    Index("claim_mapping", "mapping_id"),
    rowid=False,
)

# -- facets ----------------------------------------------------------------------------------------

JOB, DATASET, RUN, INPUT_FACET, OUTPUT_FACET = 1, 2, 3, 4, 5

# The facets that tell a job's type have an index of their own, used only where a statement has its very words; an
# expression of the kind keeps SQLite from reading every facet of every job instead.
JOB_TYPES = text("facet.name = 'jobType' AND facet.kind + 0 = 1")

# The newest value of each facet of a job, dataset or run; of a run's input or output, `other_id` is the dataset.
facet = _table(
    "facet",
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),
    Column("owner_id", Id, primary_key=True, autoincrement=False),
    Column("other_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, primary_key=True),
    Column("at", Time, nullable=False),
    Column("hash", Hash, nullable=False),
    Column("body", LargeBinary),  # JSON, packed, if short; else in blob, where all who have it share it
    Index(
        "facet_job_type",
        "hash",
        "owner_id",
        sqlite_where=text("name = 'jobType'"),
        postgresql_where=text("name = 'jobType'"),
    ),
    rowid=False,
)

blob = _table(
    "blob",
    Column("hash", Hash, primary_key=True),
    Column("body", LargeBinary, nullable=False),  # JSON, packed
    rowid=False,
)

# -- tags that people set --------------------------------------------------------------------------

tag = _table(
    "tag",
    Column("name", Name, primary_key=True),
    Column("description", Text),
    Column("updated_at", Time, nullable=False),
)

tagging = _table(
    "tagging",
    Column("kind", SmallInteger, primary_key=True, autoincrement=False),  # JOB or DATASET
    Column("owner_id", Id, primary_key=True, autoincrement=False),
    Column("field", Name, primary_key=True),  # '' is the whole dataset or job
    Column("tag", Name, primary_key=True),
    Column("at", Time, nullable=False),
    Index("tagging_tag", "tag"),
    rowid=False,
)

# -- search ----------------------------------------------------------------------------------------

# One row a findable name. SQLite has a trigram index beside it, PostgreSQL one on it (see the migration).
search = _table(
    "search",
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("kind", SmallInteger, nullable=False),  # JOB, DATASET, or FIELD
    Column("owner_id", Id, nullable=False),  # job.id or dataset.id; 0 for a column name, which many datasets share
    Column("name", Name, nullable=False),  # as reported
    Column("folded", Name, nullable=False),  # lower case, what is matched
    Index("search_folded", "folded", "kind"),
)

FIELD = 6
