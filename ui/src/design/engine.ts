/** Which system a job runs on or a dataset lives in, told from what its names say. */

export type Engine =
  | 'kafka'
  | 'connect'
  | 'spark'
  | 'flink'
  | 'iceberg'
  | 's3'
  | 'database'
  | 'airflow'
  | 'dbt'
  | 'file'
  | 'job'
  | 'dataset'

export const ENGINE_NAMES: Record<Engine, string> = {
  kafka: 'Kafka',
  connect: 'Connect',
  spark: 'Spark',
  flink: 'Flink',
  iceberg: 'Iceberg',
  s3: 'S3',
  database: 'Database',
  airflow: 'Airflow',
  dbt: 'dbt',
  file: 'Files',
  job: 'Job',
  dataset: 'Dataset',
}

const INTEGRATIONS: [RegExp, Engine][] = [
  [/connect/, 'connect'],
  [/spark/, 'spark'],
  [/flink/, 'flink'],
  [/airflow/, 'airflow'],
  [/dbt/, 'dbt'],
]
const SCHEMES: [RegExp, Engine][] = [
  [/^kafka/, 'kafka'],
  [/^(s3|s3a|s3n|gs|gcs|abfss?|wasbs?|minio)\b/, 's3'],
  [/^(postgres|postgresql|mysql|mssql|sqlserver|oracle|db2|redshift|snowflake|bigquery|trino|athena|hive|jdbc|cosmos|mongodb|cassandra|teradata|clickhouse|duckdb|sqlite)/, 'database'],
  [/^(file|hdfs|dbfs)/, 'file'],
]
// Catalogs whose tables, kept as files in a bucket, are tables of a lake format.
const CATALOG = /^dataset:(hive|glue|arn:aws:glue|thrift|nessie|polaris|iceberg|unity)/

export function jobEngine(integration: string | null | undefined): Engine {
  const word = (integration ?? '').toLowerCase()
  return INTEGRATIONS.find(([pattern]) => pattern.test(word))?.[1] ?? 'job'
}

export function datasetEngine(namespace: string, aliases: readonly string[] = []): Engine {
  const found = SCHEMES.find(([pattern]) => pattern.test(namespace.toLowerCase()))?.[1] ?? 'dataset'
  const isLake = found === 's3' || found === 'file'
  return isLake && aliases.some((alias) => CATALOG.test(alias)) ? 'iceberg' : found
}
