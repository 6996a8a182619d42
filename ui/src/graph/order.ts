/** The order of the cards in each rank: few crossings, and what was there keeps its own. */
import type { Point } from './layout'
import type { Item } from './ranks'

/** Orders every rank; true when most cards were placed before, and so keep the order they had. */
export function order(items: Item[], layers: number[][], placed: ReadonlyMap<string, Point>): boolean {
  const known = items.filter((item) => item.box && placed.has(item.box.id)).length
  const boxes = items.filter((item) => item.box).length
  const isKnown = known > 0 && known * 2 >= boxes
  if (isKnown) {
    orderAsPlaced(items, layers, placed)
    return true
  }
  firstOrder(items, layers)
  let best = layers.map((layer) => [...layer])
  let least = crossings(items, layers)
  const sweeps = items.length > 3_000 ? 4 : items.length > 600 ? 8 : 16
  for (let sweep = 0; sweep < sweeps && least > 0; sweep++) {
    const down = sweep % 2 === 0
    const ranks = [...layers.keys()]
    for (const at of down ? ranks.slice(1) : ranks.slice(0, -1).reverse()) sortBy(items, layers[at]!, down ? 'before' : 'after')
    const now = crossings(items, layers)
    if (now < least) {
      least = now
      best = layers.map((layer) => [...layer])
    }
  }
  best.forEach((layer, at) => {
    layers[at] = layer
    layer.forEach((i, place) => (items[i]!.key = place))
  })
  return false
}

function orderAsPlaced(items: Item[], layers: number[][], placed: ReadonlyMap<string, Point>): void {
  for (const item of items) {
    const place = item.box && placed.get(item.box.id)
    item.key = place ? place.y + item.above : NaN
  }
  // What is new goes beside what it is connected to; a few rounds carry that along chains.
  for (let round = 0; round < 4; round++) {
    for (const item of items) {
      if (item.box && placed.has(item.box.id)) continue
      const near = [...item.before, ...item.after].map((i) => items[i]!.key).filter((key) => !Number.isNaN(key))
      if (near.length) item.key = near.reduce((a, b) => a + b, 0) / near.length
    }
  }
  for (const item of items) if (Number.isNaN(item.key)) item.key = Infinity
  for (const layer of layers) layer.sort((a, b) => items[a]!.key - items[b]!.key || a - b)
}

/** A depth-first walk from the left: what hangs together lies together. */
function firstOrder(items: Item[], layers: number[][]): void {
  const seen = new Uint8Array(items.length)
  const fresh: number[][] = layers.map(() => [])
  for (const layer of layers) {
    for (const start of layer) {
      const stack = [start]
      while (stack.length) {
        const i = stack.pop()!
        if (seen[i]) continue
        seen[i] = 1
        fresh[items[i]!.rank]!.push(i)
        for (const next of [...items[i]!.after].reverse()) if (!seen[next]) stack.push(next)
      }
    }
  }
  fresh.forEach((layer, at) => {
    layers[at] = layer
    layer.forEach((i, place) => (items[i]!.key = place))
  })
}

function sortBy(items: Item[], layer: number[], side: 'before' | 'after'): void {
  const centre = new Map<number, number>()
  layer.forEach((i, place) => {
    const near = items[i]![side]
    centre.set(i, near.length ? near.reduce((sum, other) => sum + items[other]!.key, 0) / near.length : place)
  })
  layer.sort((a, b) => centre.get(a)! - centre.get(b)! || items[a]!.key - items[b]!.key)
  layer.forEach((i, place) => (items[i]!.key = place))
}

/** How many pairs of edges between adjacent ranks cross, by counting inversions in a binary indexed tree. */
function crossings(items: readonly { after: number[] }[], layers: readonly number[][]): number {
  let total = 0
  for (let at = 0; at + 1 < layers.length; at++) {
    const place = new Map(layers[at + 1]!.map((i, p) => [i, p]))
    const size = place.size
    const tree = new Int32Array(size + 1)
    let seen = 0
    for (const i of layers[at]!) {
      const targets = items[i]!.after.map((to) => place.get(to)).filter((p): p is number => p !== undefined)
      for (const p of targets) {
        let below = 0
        for (let k = p + 1; k > 0; k -= k & -k) below += tree[k]!
        total += seen - below
      }
      for (const p of targets) {
        seen += 1
        for (let k = p + 1; k <= size; k += k & -k) tree[k]! += 1
      }
    }
  }
  return total
}
