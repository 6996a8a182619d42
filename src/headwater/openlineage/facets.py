"""The standard facets, typed: what the fold reads, and what tells a well-formed facet from a broken one."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field


class Facet(Struct):
    """What every facet has. Both are required by the specification; a facet without them is still read."""

    producer: str | UnsetType = field(name="_producer", default=UNSET)
    schema_url: str | UnsetType = field(name="_schemaURL", default=UNSET)


# -- of datasets -----------------------------------------------------------------------------------


class SchemaField(Struct, omit_defaults=True):
    name: str
    type: str | None = None
    description: str | None = None
    fields: list[SchemaField] | None = None


class Schema(Facet):
    fields: list[SchemaField] | None = None


class Transformation(Struct, omit_defaults=True):
    type: str
    subtype: str | None = None
    description: str | None = None
    masking: bool | None = None


class InputField(Struct):
    namespace: str
    name: str
    field: str
    transformations: list[Transformation] | None = None


class ColumnInputs(Struct):
    inputFields: list[InputField]
    transformationDescription: str | None = None
    transformationType: str | None = None


class ColumnLineage(Facet, kw_only=True):
    fields: dict[str, ColumnInputs]
    dataset: list[InputField] | None = None


class Identifier(Struct):
    namespace: str
    name: str
    type: str = "TABLE"


class Symlinks(Facet):
    identifiers: list[Identifier] | None = None


class PreviousIdentifier(Struct):
    name: str
    namespace: str


class LifecycleStateChange(Facet, kw_only=True):
    lifecycleStateChange: Literal["ALTER", "CREATE", "DROP", "OVERWRITE", "RENAME", "TRUNCATE"]
    previousIdentifier: PreviousIdentifier | None = None


class Version(Facet, kw_only=True):
    datasetVersion: str | int  # a string by the specification; a snapshot id sent as a number stays exact


class DataSource(Facet):
    name: str | None = None
    uri: str | None = None


class Storage(Facet, kw_only=True):
    storageLayer: str
    fileFormat: str | None = None


class Catalog(Facet, kw_only=True):
    framework: str
    type: str
    name: str
    metadataUri: str | None = None
    warehouseUri: str | None = None
    source: str | None = None
    catalogProperties: dict[str, str] | None = None


class DatasetType(Facet, kw_only=True):
    datasetType: str
    subType: str | None = None


class HierarchyLevel(Struct):
    type: str
    name: str


class Hierarchy(Facet, kw_only=True):
    hierarchy: list[HierarchyLevel]


class ColumnMetrics(Struct):
    nullCount: int | None = None
    distinctCount: int | None = None
    sum: float | None = None
    count: float | None = None
    min: float | None = None
    max: float | None = None
    quantiles: dict[str, float] | None = None


class DataQualityMetrics(Facet, kw_only=True):
    columnMetrics: dict[str, ColumnMetrics]
    rowCount: int | None = None
    bytes: int | None = None
    fileCount: int | None = None
    lastUpdated: str | None = None


class Assertion(Struct):
    assertion: str
    success: bool
    column: str | None = None


class DataQualityAssertions(Facet, kw_only=True):
    assertions: list[Assertion]


class Statistics(Facet):
    """Of an input or an output: how much was read or written."""

    rowCount: int | None = None
    size: int | None = None
    fileCount: int | None = None


# -- of jobs and datasets --------------------------------------------------------------------------


class Documentation(Facet, kw_only=True):
    description: str
    contentType: str | None = None


class Owner(Struct):
    name: str
    type: str | None = None


class Ownership(Facet):
    owners: list[Owner] | None = None


class Tag(Struct):
    key: str
    value: str
    source: str | None = None
    field: str | None = None


class Tags(Facet):
    tags: list[Tag] | None = None


class LineageSource(Struct):
    """One thing that feeds a target: a dataset, a column of one, or a job; a job with no name is the event's own."""

    type: Literal["DATASET", "JOB"]
    namespace: str | None = None
    name: str | None = None
    field: str | None = None
    runId: str | None = None
    transformations: list[Transformation] | None = None


class LineageFieldEntry(Struct):
    inputs: list[LineageSource]


class LineageEntry(Struct):
    type: Literal["DATASET", "JOB"]
    namespace: str | None = None
    name: str | None = None
    runId: str | None = None
    inputs: list[LineageSource] | None = None
    fields: dict[str, LineageFieldEntry] | None = None


class LineageJob(Facet, kw_only=True):
    entries: list[LineageEntry]


class LineageDataset(Facet):
    inputs: list[LineageSource] | None = None
    fields: dict[str, LineageFieldEntry] | None = None


# -- of jobs ---------------------------------------------------------------------------------------


class JobType(Facet, kw_only=True):
    processingType: str
    integration: str
    jobType: str | None = None


class Sql(Facet, kw_only=True):
    query: str
    dialect: str | None = None


class SourceCode(Facet, kw_only=True):
    language: str
    sourceCode: str


class SourceCodeLocation(Facet, kw_only=True):
    type: str
    url: str
    repoUrl: str | None = None
    path: str | None = None
    version: str | None = None
    tag: str | None = None
    branch: str | None = None


# -- of runs ---------------------------------------------------------------------------------------


class RunRef(Struct):
    runId: str


class JobRef(Struct):
    namespace: str
    name: str


class RootRef(Struct):
    run: RunRef
    job: JobRef


class Parent(Facet, kw_only=True):
    run: RunRef
    job: JobRef
    root: RootRef | None = None


class NominalTime(Facet, kw_only=True):
    nominalStartTime: str
    nominalEndTime: str | None = None


class ErrorMessage(Facet, kw_only=True):
    message: str
    programmingLanguage: str
    stackTrace: str | None = None


class ExternalQuery(Facet, kw_only=True):
    externalQueryId: str
    source: str


class ExtractionProblem(Struct):
    errorMessage: str
    stackTrace: str | None = None
    task: str | None = None
    taskNumber: int | None = None


class ExtractionError(Facet, kw_only=True):
    totalTasks: int
    failedTasks: int
    errors: list[ExtractionProblem]


class ProcessingEngine(Facet, kw_only=True):
    version: str
    name: str | None = None
    openlineageAdapterVersion: str | None = None


class EnvironmentVariable(Struct):
    name: str
    value: str


class EnvironmentVariables(Facet, kw_only=True):
    environmentVariables: list[EnvironmentVariable]


class ExecutionParameter(Struct):
    key: str
    name: str | None = None
    value: str | None = None


class ExecutionParameters(Facet):
    parameters: list[ExecutionParameter] | None = None


class JobDependency(Struct):
    job: JobRef
    run: RunRef | None = None


class JobDependencies(Facet):
    upstream: list[JobDependency] | None = None
    downstream: list[JobDependency] | None = None


class TestExecution(Struct):
    name: str
    status: str


class Test(Facet, kw_only=True):
    tests: list[TestExecution]


# -- our own, of runs ------------------------------------------------------------------------------

LEASE, LOST = "headwater_lease", "headwater_lost"


class Lease(Facet, kw_only=True):
    """The run will be heard of again within so many seconds, or it is lost."""

    seconds: Annotated[int, msgspec.Meta(ge=1, le=86_400)]


class Lost(Facet, kw_only=True):
    """The run's lease ran out: when its last event was, and why it is given up."""

    lastSeen: str
    reason: str


_OF_JOBS: dict[str, type[Facet]] = {
    "jobType": JobType,
    "ownership": Ownership,
    "documentation": Documentation,
    "sql": Sql,
    "sourceCode": SourceCode,
    "sourceCodeLocation": SourceCodeLocation,
    "tags": Tags,
    "lineage": LineageJob,
}
_OF_DATASETS: dict[str, type[Facet]] = {
    "schema": Schema,
    "columnLineage": ColumnLineage,
    "symlinks": Symlinks,
    "lifecycleStateChange": LifecycleStateChange,
    "version": Version,
    "dataSource": DataSource,
    "storage": Storage,
    "catalog": Catalog,
    "datasetType": DatasetType,
    "hierarchy": Hierarchy,
    "ownership": Ownership,
    "documentation": Documentation,
    "tags": Tags,
    "lineage": LineageDataset,
    "dataQualityMetrics": DataQualityMetrics,
    "dataQualityAssertions": DataQualityAssertions,
}
_OF_RUNS: dict[str, type[Facet]] = {
    "parent": Parent,
    "nominalTime": NominalTime,
    "errorMessage": ErrorMessage,
    "externalQuery": ExternalQuery,
    "extractionError": ExtractionError,
    "processing_engine": ProcessingEngine,
    "environmentVariables": EnvironmentVariables,
    "executionParameters": ExecutionParameters,
    "jobDependencies": JobDependencies,
    "tags": Tags,
    "test": Test,
    LEASE: Lease,
    LOST: Lost,
}
_OF_INPUTS: dict[str, type[Facet]] = {
    "dataQualityMetrics": DataQualityMetrics,
    "dataQualityAssertions": DataQualityAssertions,
    "inputStatistics": Statistics,
}
_OF_OUTPUTS: dict[str, type[Facet]] = {"outputStatistics": Statistics}

STANDARD: dict[str, dict[str, type[Facet]]] = {
    "job": _OF_JOBS,
    "dataset": _OF_DATASETS,
    "run": _OF_RUNS,
    "input": _OF_INPUTS,
    "output": _OF_OUTPUTS,
}

_ALL: set[type[Facet]] = {Facet, *(kind for group in STANDARD.values() for kind in group.values())}
_decoders: dict[type[Facet], msgspec.json.Decoder[Facet]] = {kind: msgspec.json.Decoder(kind) for kind in _ALL}


F = TypeVar("F", bound=Facet)


def read(kind: type[F], raw: Raw | bytes) -> F | None:
    """The facet, or None where it breaks its schema; `problem` says how."""
    try:
        return _decoders[kind].decode(raw)  # type: ignore[return-value]
    except (msgspec.DecodeError, RecursionError):
        return None


def problem(owner: str, name: str, raw: Raw | bytes) -> str | None:
    """How a facet breaks its schema, or None. Custom facets need only what every facet has."""
    try:
        facet = _decoders[STANDARD[owner].get(name, Facet)].decode(raw)
    except (msgspec.DecodeError, RecursionError) as error:
        return str(error)
    if facet.producer is UNSET or facet.schema_url is UNSET:
        missing = "_producer" if facet.producer is UNSET else "_schemaURL"
        return f"Object missing required field `{missing}`"
    return None
