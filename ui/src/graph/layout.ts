/**
 * Cards in ranks from left to right. Pure, and the same for the same input.
 *
 * Each connected part: cycles are broken, ranks given, long edges cut at every rank they pass, ranks ordered by
 * barycentres, and heights found by least squares under the order. A card that was placed before keeps its order.
 */

export interface Box {
  id: string
  width: number
  height: number
  /** How far below its top the edges meet it. */
  port: number
}

export interface Link {
  from: string
  to: string
}

export interface Point {
  x: number
  y: number
}

export interface Layout {
  /** The top left of every box. */
  places: Map<string, Point>
  /** For each link, the heights at which it passes the ranks between its ends: pairs of x to x and y. */
  bends: Map<number, Bend[]>
  width: number
  height: number
}

export interface Bend {
  from: number
  to: number
  y: number
}

export const RANK_GAP = 72
export const BOX_GAP = 18
const DUMMY_GAP = 10
const PART_GAP = 56
const PAGE_SHAPE = 2.4
// With more than this part of the edges going back, there is no left to right; such are folded namespaces that feed each other.
const TANGLED = 0.15
const FEW_TANGLED = 12
const MOST_DUMMIES = 12_000

interface Item {
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

export function layout(boxes: readonly Box[], links: readonly Link[], placed: ReadonlyMap<string, Point> = new Map()): Layout {
  const index = new Map(boxes.map((box, i) => [box.id, i]))
  const ends: [number, number, number][] = []
  links.forEach((link, i) => {
    const from = index.get(link.from)
    const to = index.get(link.to)
    if (from !== undefined && to !== undefined && from !== to) ends.push([from, to, i])
  })
  const parts = components(boxes.length, ends)
  const drawn = parts.map((part) => drawPart(boxes, part.nodes, part.ends, placed))
  return keepInPlace(pack(drawn), placed)
}

interface Part {
  nodes: number[]
  ends: [number, number, number][]
}

function components(count: number, ends: [number, number, number][]): Part[] {
  const parent = Array.from({ length: count }, (_, i) => i)
  const find = (i: number): number => {
    let root = i
    while (parent[root] !== root) root = parent[root]!
    while (parent[i] !== root) [parent[i], i] = [root, parent[i]!]
    return root
  }
  for (const [from, to] of ends) parent[find(from)] = find(to)
  const parts = new Map<number, Part>()
  for (let i = 0; i < count; i++) {
    const root = find(i)
    const part = parts.get(root) ?? { nodes: [], ends: [] }
    parts.set(root, part)
    part.nodes.push(i)
  }
  for (const end of ends) parts.get(find(end[0]))!.ends.push(end)
  // Largest first; equals stay in the order given.
  return [...parts.values()].sort((a, b) => b.nodes.length - a.nodes.length)
}

interface Drawn {
  places: Map<string, Point>
  bends: Map<number, Bend[]>
  width: number
  height: number
}

function drawPart(boxes: readonly Box[], nodes: number[], ends: [number, number, number][], placed: ReadonlyMap<string, Point>): Drawn {
  const local = new Map(nodes.map((node, i) => [node, i]))
  const edges = ends.map(([from, to, link]) => ({ from: local.get(from)!, to: local.get(to)!, link }))
  const items: Item[] = nodes.map((node) => {
    const box = boxes[node]!
    return { box, link: -1, rank: 0, above: box.port, below: box.height - box.port, width: box.width, before: [], after: [], y: 0, key: 0 }
  })
  const forward = withoutCycles(items.length, edges)
  if (items.length > FEW_TANGLED && forward.filter((edge) => edge.reversed).length > forward.length * TANGLED) return grid(items)
  rank(items, forward)
  connect(items, forward)
  const layers: number[][] = []
  items.forEach((item, i) => (layers[item.rank] ??= []).push(i))
  const isKnown = order(items, layers, placed)
  settle(items, layers, isKnown)
  return measured(items, layers, forward)
}

/** Rows of a page, in the order given: all that can be said of a graph in which everything feeds everything. */
function grid(items: Item[]): Drawn {
  const width = Math.max(...items.map((item) => item.width)) + RANK_GAP
  const height = Math.max(...items.map((item) => item.above + item.below)) + 2 * BOX_GAP
  const columns = Math.max(1, Math.round(Math.sqrt((items.length * PAGE_SHAPE * height) / width)))
  const places = new Map(items.map((item, i) => [item.box!.id, { x: (i % columns) * width, y: Math.floor(i / columns) * height }]))
  return { places, bends: new Map(), width: Math.min(columns, items.length) * width - RANK_GAP, height: Math.ceil(items.length / columns) * height }
}

interface Edge {
  from: number
  to: number
  link: number
  reversed: boolean
}

/** The same edges, those that close a cycle turned round. */
function withoutCycles(count: number, edges: { from: number; to: number; link: number }[]): Edge[] {
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
function rank(items: Item[], edges: Edge[]): void {
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
function connect(items: Item[], edges: Edge[]): void {
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

/** Orders every rank; true when most cards were placed before, and so keep the order they had. */
function order(items: Item[], layers: number[][], placed: ReadonlyMap<string, Point>): boolean {
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
export function crossings(items: readonly { after: number[] }[], layers: readonly number[][]): number {
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

/** Heights: each rank in turn is put where its neighbours pull it, as near as its order and gaps allow. */
function settle(items: Item[], layers: number[][], isKnown: boolean): void {
  for (const layer of layers) {
    let y = 0
    layer.forEach((i, place) => {
      const item = items[i]!
      if (place) y += gap(items[layer[place - 1]!]!, item)
      item.y = y
    })
    const middle = y / 2
    for (const i of layer) items[i]!.y -= middle
  }
  if (isKnown) for (const item of items) if (item.box && Number.isFinite(item.key)) item.y = item.key
  const rounds = items.length > 3_000 ? 6 : 14
  const ranks = [...layers.keys()]
  for (let round = 0; round < rounds; round++) {
    const down = round % 2 === 0
    for (const at of down ? ranks : [...ranks].reverse()) place(items, layers[at]!, down ? 'before' : 'after')
  }
  for (const at of ranks) place(items, layers[at]!, 'both')
  for (const at of [...ranks].reverse()) place(items, layers[at]!, 'both')
}

function gap(above: Item, below: Item): number {
  return above.below + below.above + (above.box && below.box ? BOX_GAP : DUMMY_GAP)
}

function place(items: Item[], layer: number[], side: 'before' | 'after' | 'both'): void {
  // Least squares with a fixed order and least gaps is isotonic regression once the gaps are taken out.
  const blocks: { sum: number; weight: number; count: number }[] = []
  const offsets: number[] = []
  let offset = 0
  layer.forEach((i, at) => {
    const item = items[i]!
    if (at) offset += gap(items[layer[at - 1]!]!, item)
    offsets.push(offset)
    const near = side === 'both' ? [...item.before, ...item.after] : item[side]
    let pull = 0
    let weight = 0
    for (const other of near) {
      // A long edge is straightened before a card is centred.
      const w = !item.box && !items[other]!.box ? 8 : 1
      pull += w * items[other]!.y
      weight += w
    }
    const wanted = weight ? pull / weight : item.y
    const w = weight || 0.5
    blocks.push({ sum: (wanted - offset) * w, weight: w, count: 1 })
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1]!
      const earlier = blocks[blocks.length - 2]!
      if (earlier.sum / earlier.weight <= last.sum / last.weight) break
      blocks.pop()
      earlier.sum += last.sum
      earlier.weight += last.weight
      earlier.count += last.count
    }
  })
  let at = 0
  for (const block of blocks) {
    const base = block.sum / block.weight
    for (let n = 0; n < block.count; n++, at++) items[layer[at]!]!.y = base + offsets[at]!
  }
}

function measured(items: Item[], layers: number[][], edges: Edge[]): Drawn {
  const widths = layers.map((layer) => layer.reduce((widest, i) => Math.max(widest, items[i]!.width), 0))
  const lefts: number[] = []
  let x = 0
  for (const width of widths) {
    lefts.push(x)
    x += width + RANK_GAP
  }
  let top = Infinity
  let bottom = -Infinity
  for (const item of items) {
    top = Math.min(top, item.y - item.above)
    bottom = Math.max(bottom, item.y + item.below)
  }
  const places = new Map<string, Point>()
  const bends = new Map<number, Bend[]>()
  const turned = new Set(edges.filter((edge) => edge.reversed).map((edge) => edge.link))
  for (const item of items) {
    const left = lefts[item.rank]!
    if (item.box) places.set(item.box.id, { x: left, y: Math.round(item.y - item.above - top) })
    else {
      const list = bends.get(item.link) ?? []
      bends.set(item.link, list)
      list.push({ from: left, to: left + widths[item.rank]!, y: Math.round(item.y - top) })
    }
  }
  for (const [link, list] of bends) list.sort((a, b) => (turned.has(link) ? b.from - a.from : a.from - b.from))
  return { places, bends, width: Math.max(0, x - RANK_GAP), height: bottom - top }
}

/** Parts side by side on a page about as wide as a screen: each as high up as it fits, the largest first. */
function pack(parts: Drawn[]): Layout {
  const places = new Map<string, Point>()
  const bends = new Map<number, Bend[]>()
  const area = parts.reduce((sum, part) => sum + (part.width + PART_GAP) * (part.height + PART_GAP), 0)
  const page = Math.max(...parts.map((part) => part.width), Math.sqrt(area * PAGE_SHAPE), 0)
  // The lower edge of what is placed, from left to right.
  let edge = [{ x: 0, y: 0, width: page + PART_GAP }]
  let width = 0
  let height = 0
  for (const part of parts) {
    const { x, y } = highest(edge, part.width, page)
    for (const [id, point] of part.places) places.set(id, { x: point.x + x, y: point.y + y })
    for (const [link, list] of part.bends) bends.set(link, list.map((bend) => ({ from: bend.from + x, to: bend.to + x, y: bend.y + y })))
    edge = lowered(edge, x, part.width + PART_GAP, y + part.height + PART_GAP)
    width = Math.max(width, x + part.width)
    height = Math.max(height, y + part.height)
  }
  return { places, bends, width, height }
}

interface Step {
  x: number
  y: number
  width: number
}

function highest(edge: readonly Step[], width: number, page: number): Point {
  let best = { x: 0, y: Infinity }
  for (const { x } of edge) {
    if (x + width > page && x > 0) continue
    const below = edge.filter((step) => step.x < x + width && step.x + step.width > x)
    const y = Math.max(...below.map((step) => step.y))
    if (y < best.y) best = { x, y }
  }
  return best
}

function lowered(edge: readonly Step[], x: number, width: number, y: number): Step[] {
  const left = edge.filter((step) => step.x < x).map((step) => ({ ...step, width: Math.min(step.width, x - step.x) }))
  const end = x + width
  const right = edge.filter((step) => step.x + step.width > end).map((step) => ({ ...step, x: Math.max(step.x, end), width: step.x + step.width - Math.max(step.x, end) }))
  return [...left, { x, y, width }, ...right]
}

/** Moved as a whole so that what was there before stays where it was, as nearly as it can. */
function keepInPlace(result: Layout, placed: ReadonlyMap<string, Point>): Layout {
  const dx: number[] = []
  const dy: number[] = []
  for (const [id, point] of result.places) {
    const was = placed.get(id)
    if (was) {
      dx.push(was.x - point.x)
      dy.push(was.y - point.y)
    }
  }
  if (!dx.length) return result
  const x = median(dx)
  const y = median(dy)
  const places = new Map([...result.places].map(([id, p]) => [id, { x: p.x + x, y: p.y + y }]))
  const bends = new Map([...result.bends].map(([link, list]) => [link, list.map((b) => ({ from: b.from + x, to: b.to + x, y: b.y + y }))]))
  return { ...result, places, bends }
}

function median(values: number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!
}
