/** Which rank each card is in, and what passes the ranks between: the first half of a layout. */
import type { Box } from './layout'

// With more long edges than this, they go straight.
const MOST_DUMMIES = 12_000

/** A card in its rank, or the place where a long edge passes one. */
export interface Item {
  box: Box | null
  link: number
  rank: number
  above: number
  below: number
  width: number
  before: number[]
  after: number[]
  /** Height of the port. */
  y: number
  key: number
}

export interface Edge {
  from: number
  to: number
  link: number
  reversed: boolean
}

/** The same edges, those that close a cycle turned round. */
export function withoutCycles(count: number, edges: { from: number; to: number; link: number }[]): Edge[] {
  const out: number[][] = Array.from({ length: count }, () => [])
  const into = new Array<number>(count).fill(0)
  edges.forEach((edge, i) => {
    out[edge.from]!.push(i)
    into[edge.to]! += 1
  })
  const state = new Uint8Array(count)
  const reversed = new Uint8Array(edges.length)
  const starts = [...Array(count).keys()].sort((a, b) => into[a]! - into[b]!)
  for (const start of starts) {
    if (state[start]) continue
    const stack: [number, number][] = [[start, 0]]
    state[start] = 1
    while (stack.length) {
      const top = stack[stack.length - 1]!
      const next = out[top[0]]![top[1]++]
      if (next === undefined) {
        state[top[0]] = 2
        stack.pop()
      } else {
        const to = edges[next]!.to
        if (state[to] === 1) reversed[next] = 1
        else if (state[to] === 0) {
          state[to] = 1
          stack.push([to, 0])
        }
      }
    }
  }
  return edges.map((edge, i) => (reversed[i] ? { from: edge.to, to: edge.from, link: edge.link, reversed: true } : { ...edge, reversed: false }))
}

/** As far left as what feeds a node allows, then as near to what it feeds as it can be. */
export function rank(items: Item[], edges: Edge[]): void {
  const out: number[][] = items.map(() => [])
  const waiting = new Array<number>(items.length).fill(0)
  const into = new Array<number>(items.length).fill(0)
  for (const edge of edges) {
    out[edge.from]!.push(edge.to)
    waiting[edge.to]! += 1
    into[edge.to]! += 1
  }
  const ready = [...items.keys()].filter((i) => waiting[i] === 0)
  for (let at = 0; at < ready.length; at++) {
    const from = ready[at]!
    for (const to of out[from]!) {
      items[to]!.rank = Math.max(items[to]!.rank, items[from]!.rank + 1)
      if (--waiting[to]! === 0) ready.push(to)
    }
  }
  for (const i of ready.reverse()) {
    const next = out[i]!
    if (next.length > into[i]!) items[i]!.rank = Math.min(...next.map((to) => items[to]!.rank)) - 1
  }
  const least = Math.min(...items.map((item) => item.rank))
  for (const item of items) item.rank -= least
}

/** Neighbours in the next rank; a longer edge gets an item of its own in every rank it passes. */
export function connect(items: Item[], edges: Edge[]): void {
  const total = edges.reduce((sum, edge) => sum + items[edge.to]!.rank - items[edge.from]!.rank - 1, 0)
  for (const edge of edges) {
    let from = edge.from
    const last = items[edge.to]!.rank
    if (total <= MOST_DUMMIES) {
      for (let at = items[from]!.rank + 1; at < last; at++) {
        items.push({ box: null, link: edge.link, rank: at, above: 0, below: 0, width: 0, before: [from], after: [], y: 0, key: 0 })
        items[from]!.after.push(items.length - 1)
        from = items.length - 1
      }
    }
    items[from]!.after.push(edge.to)
    items[edge.to]!.before.push(from)
  }
}
