/** Where everything is drawn: cards by their place, edges as paths, and where each column's row meets its edges. */
import { FILTER, HEADER, ROW, ROWS_SHOWN, type Card, type CardEdge, type Deck } from './cards'
import type { Bend, Box, Layout, Link, Point } from './layout'
import type { Flow } from './model'

export const PORT = 26
const BELOW = 72

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

export interface DrawnEdge {
  key: string
  edge: CardEdge
  readonly path: string
  middle: Point
  box: Rect
}

/** A stretch of a lit path: from a column to the job that reads it, or from the job to the column that it makes. */
export interface Strand {
  key: string
  /** The cards at its ends. */
  from: string
  to: string
  path: string
  direct: boolean
  flows: Flow[]
  middle: Point
}

export interface Scene {
  cards: Map<string, Card>
  places: Map<string, Point>
  edges: DrawnEdge[]
  strands: Strand[]
  bounds: Rect
}

export function boxesOf(deck: Deck): Box[] {
  return [...deck.cards.values()].map(({ id, width, height }) => ({ id, width, height, port: PORT }))
}

export function linksOf(deck: Deck): Link[] {
  return deck.edges.map(({ from, to }) => ({ from, to }))
}

export function scene(deck: Deck, layout: Pick<Layout, 'places' | 'bends'>, lit: readonly Flow[] = []): Scene {
  const { places } = layout
  const edges: DrawnEdge[] = []
  deck.edges.forEach((edge, i) => {
    const from = deck.cards.get(edge.from)
    const to = deck.cards.get(edge.to)
    const start = places.get(edge.from)
    const end = places.get(edge.to)
    if (!from || !to || !start || !end) return
    const a = { x: start.x + from.width, y: start.y + PORT }
    const b = { x: end.x, y: end.y + PORT }
    const bends = layout.bends.get(i) ?? []
    edges.push({
      key: `${edge.from}\n${edge.to}`,
      edge,
      // Of a large graph few edges are drawn one by one, so a path is written when it is asked for.
      get path() {
        return curve(a, b, bends)
      },
      middle: middleOf(a, b, bends),
      box: around(a, b, bends),
    })
  })
  return { cards: deck.cards, places, edges, strands: strands(deck, places, lit), bounds: boundsOf(deck.cards, places) }
}

/** A path from one port to another: level at both ends and through every bend. */
export function curve(a: Point, b: Point, bends: readonly Bend[] = []): string {
  let path = `M${a.x} ${a.y}`
  let at = a
  for (const bend of bends) {
    const [x, end] = bend.from >= at.x ? [bend.from, bend.to] : [bend.to, bend.from]
    path += swing(at, { x, y: bend.y }) + `L${end} ${bend.y}`
    at = { x: end, y: bend.y }
  }
  return path + swing(at, b)
}

function swing(a: Point, b: Point): string {
  if (b.x >= a.x) {
    const reach = Math.max(24, (b.x - a.x) / 2)
    return `C${a.x + reach} ${a.y} ${b.x - reach} ${b.y} ${b.x} ${b.y}`
  }
  // Going back, it passes below the cards between.
  const reach = Math.min(160, 48 + (a.x - b.x) / 4)
  return `C${a.x + reach} ${a.y + BELOW} ${b.x - reach} ${b.y + BELOW} ${b.x} ${b.y}`
}

function middleOf(a: Point, b: Point, bends: readonly Bend[]): Point {
  const bend = bends[bends.length >> 1]
  return bend ? { x: (bend.from + bend.to) / 2, y: bend.y } : { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 }
}

function around(a: Point, b: Point, bends: readonly Bend[]): Rect {
  let [left, right] = [Math.min(a.x, b.x), Math.max(a.x, b.x)]
  let [top, bottom] = [Math.min(a.y, b.y), Math.max(a.y, b.y)]
  for (const bend of bends) {
    left = Math.min(left, bend.from)
    right = Math.max(right, bend.to)
    top = Math.min(top, bend.y)
    bottom = Math.max(bottom, bend.y)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

/** The height of a column's row within its card; of one that is not drawn, the port of the card. */
export function rowHeight(card: Card, column: string): number {
  const at = column === '' || !card.rows ? -1 : card.rows.findIndex((row) => row.name === column)
  if (at < 0) return PORT
  return HEADER + (card.filter ? FILTER : 0) + (Math.min(at, ROWS_SHOWN - 1) + 0.5) * ROW
}

interface End extends Point {
  card: string
}

function strands(deck: Deck, places: ReadonlyMap<string, Point>, lit: readonly Flow[]): Strand[] {
  const found = new Map<string, { a: End; b: End; flows: Flow[] }>()
  const end = (node: string, column: string, right: boolean): End | null => {
    const id = deck.cardOf.get(node)
    const card = id === undefined ? undefined : deck.cards.get(id)
    const place = id === undefined ? undefined : places.get(id)
    if (!card || !place) return null
    return { card: card.id, x: place.x + (right ? card.width : 0), y: place.y + (card.node ? rowHeight(card, column) : PORT) }
  }
  const add = (key: string, a: End | null, b: End | null, flow: Flow) => {
    if (!a || !b) return
    const known = found.get(key)
    if (known) known.flows.push(flow)
    else found.set(key, { a, b, flows: [flow] })
  }
  for (const flow of lit) {
    const { from, to, job } = flow
    const source = end(from.dataset, from.column, true)
    const target = end(to.dataset, to.column, false)
    if (job !== null && deck.cardOf.has(job)) {
      add([from.dataset, from.column, job].join('\n'), source, end(job, '', false), flow)
      add([job, to.dataset, to.column].join('\n'), end(job, '', true), target, flow)
    } else add([from.dataset, from.column, to.dataset, to.column].join('\n'), source, target, flow)
  }
  return [...found].map(([key, { a, b, flows }]) => ({
    key,
    from: a.card,
    to: b.card,
    path: curve(a, b),
    // One direct flow makes the stretch solid.
    direct: flows.some((flow) => flow.direct),
    flows,
    middle: { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 },
  }))
}

export function boundsOf(cards: ReadonlyMap<string, Card>, places: ReadonlyMap<string, Point>, only?: ReadonlySet<string>): Rect {
  let left = Infinity
  let top = Infinity
  let right = -Infinity
  let bottom = -Infinity
  for (const card of cards.values()) {
    const place = places.get(card.id)
    if (!place || (only && !only.has(card.id))) continue
    left = Math.min(left, place.x)
    top = Math.min(top, place.y)
    right = Math.max(right, place.x + card.width)
    bottom = Math.max(bottom, place.y + card.height)
  }
  return left === Infinity ? { x: 0, y: 0, width: 0, height: 0 } : { x: left, y: top, width: right - left, height: bottom - top }
}

export function overlaps(a: Rect, b: Rect): boolean {
  return a.x <= b.x + b.width && b.x <= a.x + a.width && a.y <= b.y + b.height && b.y <= a.y + a.height
}
