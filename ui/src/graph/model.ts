/** The server's answers as one graph: nodes by id, edges between them, flows between columns. */
import type { Schema } from '../api/types'
import { datasetEngine, jobEngine, type Engine } from '../design/engine'
import { stateOf, type State } from '../design/run-state'

type Answer = Schema<'Graph'>
type ApiNode = Schema<'Node'>

export interface Column {
  name: string
  type: string | null
  tags: string[]
}

export interface Figures {
  rowsPerSecond?: number | undefined
  lag?: number | undefined
  watermarkDelayMs?: number | undefined
}

export interface GraphNode {
  id: string
  kind: 'job' | 'dataset'
  namespace: string
  name: string
  engine: Engine
  state: State
  streaming: boolean
  startedAt: string | null
  endedAt: string | null
  figures: Figures | null
  columns: Column[] | null
  /** Those on the whole; columns have their own. */
  tags: string[]
  schemaChangedAt: string | null
  dropped: boolean
  /** Edges that exist but are not in this graph: into the node, and out of it. */
  more: { in: number; out: number }
}

export interface GraphEdge {
  from: string
  to: string
  kind: 'read' | 'write' | 'link'
  how: string
  run: string | null
  at: string | null
  producer: string | null
}

export interface Transformation {
  type?: string
  subtype?: string
  description?: string
  masking?: boolean
}

export interface Flow {
  from: { dataset: string; column: string }
  to: { dataset: string; column: string }
  direct: boolean
  job: string | null
  transformations: Transformation[]
}

export interface Model {
  nodes: Map<string, GraphNode>
  edges: GraphEdge[]
  flows: Flow[]
}

export const EMPTY: Model = { nodes: new Map(), edges: [], flows: [] }

/** One answer or several put together; of what two have, the first knows best. */
export function model(...answers: Answer[]): Model {
  const nodes = new Map<string, GraphNode>()
  const counts = new Map<string, ApiNode['counts']>()
  const edges = new Map<string, GraphEdge>()
  const flows = new Map<string, Flow>()
  for (const answer of answers) {
    for (const node of answer.nodes) {
      const known = nodes.get(node.id)
      if (!known) {
        nodes.set(node.id, asNode(node))
        counts.set(node.id, node.counts)
      } else if (!known.columns && node.columns) Object.assign(known, ofColumns(node))
    }
    for (const edge of answer.edges) {
      const key = `${edge.from}\n${edge.to}`
      if (!edges.has(key)) edges.set(key, asEdge(edge))
    }
    for (const flow of answer.columnEdges) {
      const one = asFlow(flow)
      const key = flowKey(one)
      if (!flows.has(key)) flows.set(key, one)
    }
  }
  const kept = [...edges.values()].filter((edge) => nodes.has(edge.from) && nodes.has(edge.to))
  for (const [id, count] of counts) nodes.get(id)!.more = { ...count }
  for (const edge of kept) {
    if (edge.kind === 'link') continue
    nodes.get(edge.from)!.more.out -= 1
    nodes.get(edge.to)!.more.in -= 1
  }
  for (const node of nodes.values()) node.more = { in: Math.max(0, node.more.in), out: Math.max(0, node.more.out) }
  return { nodes, edges: kept, flows: [...flows.values()] }
}

export function flowKey(flow: Flow): string {
  return [flow.from.dataset, flow.from.column, flow.job ?? '', flow.to.dataset, flow.to.column].join('\n')
}

function asNode(node: ApiNode): GraphNode {
  const isJob = node.kind === 'job'
  return {
    id: node.id,
    kind: node.kind,
    namespace: node.namespace,
    name: node.name,
    engine: isJob ? jobEngine(node.jobType?.integration) : datasetEngine(node.namespace, node.aliases ?? []),
    state: isJob ? stateOf(node.state) : 'none',
    streaming: (node.jobType?.processingType ?? '').toUpperCase() === 'STREAMING',
    startedAt: node.startedAt ?? null,
    endedAt: node.endedAt ?? null,
    figures: node.flow ? asFigures(node.flow) : null,
    ...ofColumns(node),
    dropped: node.dropped ?? false,
    more: { in: 0, out: 0 },
  }
}

function asFigures(flow: NonNullable<ApiNode['flow']>): Figures {
  return {
    rowsPerSecond: flow.rowsPerSecond ?? undefined,
    lag: flow.lag ?? undefined,
    watermarkDelayMs: flow.watermarkDelayMs ?? undefined,
  }
}

/** What comes with the columns of a node. */
function ofColumns({ columns, tags = {}, schemaChangedAt = null }: ApiNode): Pick<GraphNode, 'columns' | 'tags' | 'schemaChangedAt'> {
  return { columns: columns ? asColumns(columns, tags) : null, tags: tags[''] ?? [], schemaChangedAt }
}

function asColumns(raw: unknown, tags: Record<string, string[]>): Column[] {
  if (!Array.isArray(raw)) return []
  return raw.map((one: { name?: unknown; type?: unknown }) => ({
    name: String(one.name ?? ''),
    type: typeof one.type === 'string' ? one.type : null,
    tags: tags[String(one.name ?? '')] ?? [],
  }))
}

function asEdge(edge: Answer['edges'][number]): GraphEdge {
  const { how, run = null, at = null, producer = null } = edge.evidence
  return { from: edge.from, to: edge.to, kind: edge.kind, how, run, at, producer }
}

function asFlow(flow: Answer['columnEdges'][number]): Flow {
  const list: unknown = flow.transformations
  return {
    from: flow.from,
    to: flow.to,
    direct: flow.direct,
    job: flow.job ?? null,
    transformations: Array.isArray(list) ? (list as Transformation[]) : [],
  }
}
