/** What changed between two times, as marks on the graph that shows both. */
import type { Schema } from '../api/types'

type GraphDiff = Schema<'GraphDiff'>
export type Mark = 'added' | 'removed' | 'changed'

export interface Difference {
  nodes: Map<string, Mark>
  edges: Map<string, Mark>
  /** Node → what changed, in words. */
  notes: Map<string, string[]>
  counts: Record<Mark, number>
}

export function difference(diff: GraphDiff): Difference {
  const nodes = new Map<string, Mark>()
  const edges = new Map<string, Mark>()
  const notes = new Map<string, string[]>()
  for (const mark of ['added', 'removed'] as const) {
    for (const node of diff[mark].nodes) nodes.set(node.id, mark)
    for (const edge of diff[mark].edges) edges.set(`${edge.from}\n${edge.to}`, mark)
  }
  for (const change of diff.changed.nodes) {
    nodes.set(change.id, 'changed')
    notes.set(change.id, noted(change))
  }
  for (const { to } of diff.changed.columnEdges) {
    const id = to.to.dataset
    if (!nodes.has(id)) nodes.set(id, 'changed')
    notes.set(id, [...(notes.get(id) ?? []), `${to.to.column} is made in another way`])
  }
  const marks = [...nodes.values(), ...edges.values()]
  const of = (mark: Mark) => marks.filter((one) => one === mark).length
  return { nodes, edges, notes, counts: { added: of('added'), removed: of('removed'), changed: of('changed') } }
}

function noted(change: Schema<'NodeChange'>): string[] {
  const said: string[] = []
  if (change.state) said.push(`${change.state[0] ?? 'never run'} → ${change.state[1] ?? 'never run'}`)
  if (change.dropped) said.push(change.dropped[1] ? 'dropped' : 'made again')
  const columns = change.columns
  for (const one of columns?.added ?? []) said.push(`+ ${one}`)
  for (const one of columns?.removed ?? []) said.push(`− ${one}`)
  for (const one of columns?.changed ?? []) said.push(`${one.name}: ${one.from ?? '?'} → ${one.to ?? '?'}`)
  return said
}
