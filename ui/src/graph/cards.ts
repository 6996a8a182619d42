/** What is drawn: one card for each node, or for each folded namespace, with its size and its rows of columns. */
import type { Column, Flow, GraphEdge, GraphNode, Model } from './model'
import { hidden, type Shown } from './view'

export const JOB_WIDTH = 220
export const DATASET_WIDTH = 228
export const GROUP_WIDTH = 224
export const HEADER = 52
export const ROW = 22
export const FILTER = 30
export const ROWS_SHOWN = 12
export const AUTO_FOLD = 1_200
const FOOT = 6

export interface Card {
  id: string
  kind: 'job' | 'dataset' | 'group'
  node: GraphNode | null
  group: Group | null
  width: number
  height: number
  /** Columns in the order they are drawn; null while the card is closed. */
  rows: Column[] | null
  /** Only columns on the lit path are shown, because the reader did not open this card. */
  partial: boolean
  filter: boolean
}

export interface Group {
  namespace: string
  jobs: number
  datasets: number
  running: number
  failed: number
}

export interface CardEdge {
  from: string
  to: string
  kind: 'read' | 'write' | 'link' | 'group'
  /** The edge of the graph that it stands for, or the first of several. */
  first: GraphEdge
  count: number
}

export interface Deck {
  cards: Map<string, Card>
  edges: CardEdge[]
  /** Node → the card that stands for it. */
  cardOf: Map<string, string>
  folded: boolean
  /** Jobs and datasets that nothing connects, and so are not drawn beside what is connected. */
  alone: number
  hiddenByPattern: number
}

export function groupId(namespace: string): string {
  return `group:${namespace}`
}

/** The deck of a graph as a view wants it. `lit` are the flows on the path of a chosen column. */
export function deck(graph: Model, view: Shown, lit: readonly Flow[] = []): Deck {
  const isHidden = hidden(view.hide)
  const connected = new Set(graph.edges.flatMap((edge) => [edge.from, edge.to]))
  for (const flow of lit) for (const end of [flow.from.dataset, flow.to.dataset]) connected.add(end)
  const keepAlone = connected.size === 0
  let alone = 0
  let hiddenByPattern = 0
  const shown: GraphNode[] = []
  for (const node of graph.nodes.values()) {
    if (isHidden(node.name)) hiddenByPattern += 1
    else if (!keepAlone && !connected.has(node.id) && node.id !== view.node && node.id !== view.selected) alone += 1
    else shown.push(node)
  }
  const isFolded = folding(shown, view)
  const litColumns = columnsOf(lit)
  const cards = new Map<string, Card>()
  const cardOf = new Map<string, string>()
  const open = new Set(view.open)
  for (const node of shown) {
    if (isFolded(node.namespace)) {
      const id = groupId(node.namespace)
      const card = cards.get(id) ?? emptyGroup(id, node.namespace)
      cards.set(id, card)
      cardOf.set(node.id, id)
      tally(card.group!, node)
    } else {
      cards.set(node.id, nodeCard(node, open.has(node.id), litColumns.get(node.id)))
      cardOf.set(node.id, node.id)
    }
  }
  return {
    cards,
    edges: merged(graph.edges, cardOf, cards),
    cardOf,
    folded: [...cards.values()].some((card) => card.kind === 'group'),
    alone,
    hiddenByPattern,
  }
}

/** Which namespaces are drawn as one card. */
function folding(nodes: readonly GraphNode[], view: Shown): (namespace: string) => boolean {
  const folded = new Set(view.folded)
  const unfolded = new Set(view.unfolded)
  const all = view.group === 'all' || (view.group === 'auto' && nodes.length > AUTO_FOLD)
  return (namespace) => folded.has(namespace) || (all && !unfolded.has(namespace))
}

function emptyGroup(id: string, namespace: string): Card {
  const group = { namespace, jobs: 0, datasets: 0, running: 0, failed: 0 }
  return { id, kind: 'group', node: null, group, width: GROUP_WIDTH, height: HEADER + 8, rows: null, partial: false, filter: false }
}

function tally(group: Group, node: GraphNode): void {
  if (node.kind === 'job') group.jobs += 1
  else group.datasets += 1
  if (node.state === 'running') group.running += 1
  if (node.state === 'failed' || node.state === 'lost') group.failed += 1
}

function nodeCard(node: GraphNode, open: boolean, lit: Set<string> | undefined): Card {
  const base = { id: node.id, kind: node.kind, node, group: null }
  if (node.kind === 'job') return { ...base, width: JOB_WIDTH, height: HEADER, rows: null, partial: false, filter: false }
  const known = node.columns ?? []
  const isOpen = open && known.length > 0
  const partial = !isOpen && lit !== undefined && lit.size > 0
  const rows = isOpen ? litFirst(known, lit) : partial ? litOnly(known, lit) : null
  const filter = isOpen && known.length > ROWS_SHOWN
  const visible = Math.min(rows?.length ?? 0, ROWS_SHOWN)
  const height = HEADER + (rows ? visible * ROW + FOOT : 0) + (filter ? FILTER : 0)
  return { ...base, width: DATASET_WIDTH, height, rows, partial, filter }
}

/** Past what fits, lit columns come first, so that a path never ends in a hidden row. */
function litFirst(columns: Column[], lit: Set<string> | undefined): Column[] {
  if (!lit || columns.length <= ROWS_SHOWN) return columns
  return [...columns.filter((one) => lit.has(one.name)), ...columns.filter((one) => !lit.has(one.name))]
}

function litOnly(columns: Column[], lit: Set<string>): Column[] {
  const known = columns.filter((one) => lit.has(one.name))
  const named = new Set(known.map((one) => one.name))
  return [...known, ...[...lit].filter((name) => !named.has(name)).map((name) => ({ name, type: null, tags: [] }))]
}

/** Dataset → its columns that some flows touch; the whole dataset ('') is no column. */
export function columnsOf(flows: readonly Flow[]): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const flow of flows) {
    for (const end of [flow.from, flow.to]) {
      const columns = found.get(end.dataset) ?? new Set()
      found.set(end.dataset, columns)
      if (end.column) columns.add(end.column)
    }
  }
  return found
}

function merged(edges: readonly GraphEdge[], cardOf: Map<string, string>, cards: Map<string, Card>): CardEdge[] {
  const found = new Map<string, CardEdge>()
  for (const edge of edges) {
    const from = cardOf.get(edge.from)
    const to = cardOf.get(edge.to)
    if (from === undefined || to === undefined || from === to) continue
    const key = `${from}\n${to}`
    const known = found.get(key)
    const isGroup = cards.get(from)!.kind === 'group' || cards.get(to)!.kind === 'group'
    if (known) known.count += 1
    else found.set(key, { from, to, kind: isGroup ? 'group' : edge.kind, first: edge, count: 1 })
  }
  return [...found.values()]
}
