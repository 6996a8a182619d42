/**
 * Cards in ranks from left to right. Pure, and the same for the same input.
 *
 * Each connected part: cycles are broken, ranks given, long edges cut at every rank they pass, ranks ordered by
 * barycentres, and heights found by least squares under the order. A card that was placed before keeps its order.
 */
import { BOX_GAP, settle } from './heights'
import { order } from './order'
import { pack, PAGE_SHAPE } from './packing'
import { connect, rank, withoutCycles, type Edge, type Item } from './ranks'

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
// With more than this part of the edges going back, there is no left to right; such are folded namespaces that feed each other.
const TANGLED = 0.15
const FEW_TANGLED = 12

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

function drawPart(boxes: readonly Box[], nodes: number[], ends: [number, number, number][], placed: ReadonlyMap<string, Point>): Layout {
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
function grid(items: Item[]): Layout {
  const width = Math.max(...items.map((item) => item.width)) + RANK_GAP
  const height = Math.max(...items.map((item) => item.above + item.below)) + 2 * BOX_GAP
  const columns = Math.max(1, Math.round(Math.sqrt((items.length * PAGE_SHAPE * height) / width)))
  const places = new Map(items.map((item, i) => [item.box!.id, { x: (i % columns) * width, y: Math.floor(i / columns) * height }]))
  return { places, bends: new Map(), width: Math.min(columns, items.length) * width - RANK_GAP, height: Math.ceil(items.length / columns) * height }
}

function measured(items: Item[], layers: number[][], edges: Edge[]): Layout {
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
