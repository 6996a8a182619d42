/** A small graph for tests: orders → ingest → table → stats → totals. */
import type { Schema } from '../api/types'

type Answer = Schema<'Graph'>

export const ORDERS = 'dataset:kafka://broker:orders'
export const INGEST = 'job:lab:ingest'
export const TABLE = 'dataset:s3://warehouse:orders'
export const STATS = 'job:lab:stats'
export const TOTALS = 'dataset:s3://warehouse:totals'

function node(id: string, counts: [number, number], rest: Partial<Answer['nodes'][number]> = {}): Answer['nodes'][number] {
  const [kind, ...names] = id.split(':')
  const name = names.pop()!
  return { id, kind: kind as 'job' | 'dataset', namespace: names.join(':'), name, distance: 0, counts: { in: counts[0], out: counts[1] }, ...rest }
}

function edge(from: string, to: string): Answer['edges'][number] {
  const kind = from.startsWith('job:') ? 'write' : 'read'
  return { from, to, kind, evidence: { how: 'observed', producer: 'tests' } }
}

function flow(from: string, to: string, job: string, direct = true): Answer['columnEdges'][number] {
  const end = (one: string) => ({ dataset: one.slice(0, one.lastIndexOf('.')), column: one.slice(one.lastIndexOf('.') + 1) })
  const transformations = [{ type: direct ? 'DIRECT' : 'INDIRECT', subtype: direct ? 'IDENTITY' : 'GROUP_BY' }]
  return { from: end(from), to: end(to), direct, job, transformations }
}

const columns = (...names: string[]) => names.map((name) => ({ name, type: 'string' }))

export const SAMPLE: Answer = {
  node: TABLE,
  at: null,
  nodes: [
    node(ORDERS, [1, 1], { columns: columns('order_id', 'price', 'supplier') }),
    node(INGEST, [1, 1], {
      state: 'RUNNING',
      startedAt: '2026-01-01T00:00:00Z',
      jobType: { processingType: 'STREAMING', integration: 'SPARK', jobType: 'JOB' },
      flow: { rowsPerSecond: 9800, lag: 1200 },
    }),
    node(TABLE, [1, 1], { columns: columns('order_id', 'price', 'supplier'), aliases: ['dataset:hive://meta:default.orders'], tags: { '': ['GOLD'], price: ['PII'] } }),
    node(STATS, [1, 1], { state: 'COMPLETED', jobType: { processingType: 'BATCH', integration: 'SPARK', jobType: 'JOB' } }),
    node(TOTALS, [1, 0], { columns: columns('supplier', 'total_price') }),
  ],
  edges: [edge(ORDERS, INGEST), edge(INGEST, TABLE), edge(TABLE, STATS), edge(STATS, TOTALS)],
  columnEdges: [
    flow(`${ORDERS}.price`, `${TABLE}.price`, INGEST),
    flow(`${TABLE}.price`, `${TOTALS}.total_price`, STATS),
    flow(`${TABLE}.supplier`, `${TOTALS}.total_price`, STATS, false),
  ],
  truncated: false,
  cursor: null,
}
