/** Events of a small shop, so that an empty server has something to show: a stream, a batch job and a failed export. */

type Json = Record<string, unknown>

const PRODUCER = 'https://github.com/headwater-lineage/headwater/tree/main/ui#sample'
const facet = (content: Json): Json => ({ _producer: PRODUCER, _schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/BaseFacet', ...content })
const COLUMNS: Record<string, string> = { order_id: 'string', item: 'string', price: 'decimal(10,2)', supplier: 'string', bid_time: 'timestamp' }
const TOPIC = { namespace: 'kafka://sample:9092', name: 'orders' }
const SHOP = { namespace: 'postgres://sample:5432', name: 'shop.public.orders' }
const TABLE = { namespace: 's3://sample-warehouse', name: 'orders' }
const STATS = { namespace: 's3://sample-warehouse', name: 'supplier_stats' }
const REPORT = { namespace: 'postgres://sample:5432', name: 'reports.public.suppliers' }

interface Named {
  namespace: string
  name: string
}

function dataset(named: Named, columns: Record<string, string>, made: Record<string, [Named, string, string?][]> = {}): Json {
  const fields = Object.entries(columns).map(([name, type]) => ({ name, type }))
  const facets: Json = { schema: facet({ fields }) }
  if (named.namespace.startsWith('s3://')) {
    facets.symlinks = facet({ identifiers: [{ namespace: 'hive://sample:9083', name: `default.${named.name}`, type: 'TABLE' }] })
  }
  if (Object.keys(made).length) {
    const inputs = ([from, field, how = 'IDENTITY']: [Named, string, string?]) => ({
      ...from,
      field,
      transformations: [{ type: how === 'GROUP_BY' ? 'INDIRECT' : 'DIRECT', subtype: how, description: '', masking: false }],
    })
    facets.columnLineage = facet({ fields: Object.fromEntries(Object.entries(made).map(([name, from]) => [name, { inputFields: from.map(inputs) }])) })
  }
  return { ...named, facets }
}

const same = (from: Named): Record<string, [Named, string][]> => Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, [[from, name]]]))

export function sampleEvents(now: number): Json[] {
  const at = (minutes: number) => new Date(now - minutes * 60_000).toISOString()
  const job = (name: string, integration: string, processingType: string, sql?: string): Json => ({
    namespace: 'sample',
    name,
    facets: { jobType: facet({ integration, processingType, jobType: 'JOB' }), ...(sql ? { sql: facet({ query: sql }) } : {}) },
  })
  const event = (eventType: string, minutes: number, run: string, of: Json, inputs: Json[], outputs: Json[], facets: Json = {}): Json => ({
    eventType, eventTime: at(minutes), producer: PRODUCER, schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: run, facets }, job: of, inputs, outputs,
  })
  const source = job('orders-source', 'KAFKA_CONNECT', 'STREAMING')
  const ingest = job('iceberg-ingestion', 'SPARK', 'STREAMING')
  const stats = job('supplier_stats', 'SPARK', 'BATCH', 'INSERT OVERWRITE supplier_stats\nSELECT supplier, sum(price) AS total_price, count(*) AS total_count\nFROM orders\nGROUP BY supplier')
  const publish = job('publish_report', 'SPARK', 'BATCH')
  const moved = facet({ inputRowsPerSecond: 42, processedRowsPerSecond: 410, batchMillis: 620, watermarkDelayMillis: 4_200, sources: [{ name: 'orders', lag: 118 }] })
  const statColumns = { supplier: 'string', total_price: 'decimal(20,2)', total_count: 'bigint' }
  const statsMade: Record<string, [Named, string, string?][]> = {
    supplier: [[TABLE, 'supplier']],
    total_price: [[TABLE, 'price', 'AGGREGATION'], [TABLE, 'supplier', 'GROUP_BY']],
    total_count: [[TABLE, 'supplier', 'GROUP_BY']],
  }
  const report: Record<string, [Named, string][]> = { supplier: [[STATS, 'supplier']], total_price: [[STATS, 'total_price']] }
  const [one, two, three, four] = [1, 2, 3, 4].map((n) => runId(now, n)) as [string, string, string, string]
  return [
    event('START', 180, one, source, [], []),
    event('RUNNING', 179, one, source, [dataset(SHOP, COLUMNS)], [dataset(TOPIC, COLUMNS, same(SHOP))], { headwater_flow: facet({ recordsPerSecond: 42, lag: 0 }) }),
    event('START', 170, two, ingest, [dataset(TOPIC, COLUMNS)], [dataset(TABLE, COLUMNS, same(TOPIC))]),
    event('RUNNING', 1, two, ingest, [dataset(TOPIC, COLUMNS)], [dataset(TABLE, COLUMNS, same(TOPIC))], { headwater_streamProgress: moved }),
    event('START', 30, three, stats, [dataset(TABLE, COLUMNS)], [dataset(STATS, statColumns, statsMade)]),
    event('COMPLETE', 28, three, stats, [dataset(TABLE, COLUMNS)], [dataset(STATS, statColumns, statsMade)]),
    event('START', 27, four, publish, [dataset(STATS, statColumns)], [dataset(REPORT, { supplier: 'text', total_price: 'numeric' }, report)]),
    event('FAIL', 26, four, publish, [dataset(STATS, statColumns)], [dataset(REPORT, { supplier: 'text', total_price: 'numeric' }, report)], {
      errorMessage: facet({ message: 'connection to postgres://sample:5432 refused', programmingLanguage: 'PYTHON', stackTrace: 'psycopg.OperationalError: connection refused\n  at publish_report.py:31' }),
    }),
  ]
}

/** A UUID that is new each time the sample is loaded. */
function runId(now: number, n: number): string {
  const hex = now.toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7000-8000-${String(n).padStart(12, '0')}`
}
