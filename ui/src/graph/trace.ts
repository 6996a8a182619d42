/** Paths through the graph: everything that leads to a card, and everything it leads to. */
import type { CardEdge } from './cards'
import type { Direction } from './view'

/** The cards on the path of one card; each way is followed on its own, so that cousins stay dark. */
export function reach(edges: readonly Pick<CardEdge, 'from' | 'to'>[], start: string, direction: Direction): Set<string> {
  const found = new Set([start])
  if (direction !== 'down') follow(edges, start, 'to', 'from', found)
  if (direction !== 'up') follow(edges, start, 'from', 'to', found)
  return found
}

function follow(edges: readonly Pick<CardEdge, 'from' | 'to'>[], start: string, near: 'from' | 'to', far: 'from' | 'to', found: Set<string>): void {
  const next = new Map<string, string[]>()
  for (const edge of edges) {
    const list = next.get(edge[near])
    if (list) list.push(edge[far])
    else next.set(edge[near], [edge[far]])
  }
  const seen = new Set([start])
  const stack = [start]
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    for (const other of next.get(id) ?? []) {
      if (seen.has(other)) continue
      seen.add(other)
      found.add(other)
      stack.push(other)
    }
  }
}
