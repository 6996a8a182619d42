/** Moving from card to card with the arrow keys. */
import type { CardEdge, Card } from './cards'
import type { Point } from './layout'

export type Arrow = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown'

interface Drawn {
  cards: ReadonlyMap<string, Card>
  places: ReadonlyMap<string, Point>
  edges: readonly { edge: Pick<CardEdge, 'from' | 'to'> }[]
}

/** The card to go to: sideways along an edge, up and down within the rank; null where there is none. */
export function neighbour(drawn: Drawn, from: string, arrow: Arrow): string | null {
  const here = drawn.places.get(from)
  if (!here) return first(drawn)
  const candidates =
    arrow === 'ArrowRight'
      ? drawn.edges.filter(({ edge }) => edge.from === from).map(({ edge }) => edge.to)
      : arrow === 'ArrowLeft'
        ? drawn.edges.filter(({ edge }) => edge.to === from).map(({ edge }) => edge.from)
        : inRank(drawn, from, here, arrow)
  return nearest(drawn, candidates, here)
}

/** Where the keyboard enters the graph: the card at the top left. */
export function first(drawn: Pick<Drawn, 'places'>): string | null {
  let best: string | null = null
  let least = Infinity
  for (const [id, place] of drawn.places) {
    const far = place.x * 2 + place.y
    if (far < least) [best, least] = [id, far]
  }
  return best
}

function inRank(drawn: Drawn, from: string, here: Point, arrow: Arrow): string[] {
  const sign = arrow === 'ArrowDown' ? 1 : -1
  return [...drawn.places].filter(([id, p]) => id !== from && Math.abs(p.x - here.x) < 60 && (p.y - here.y) * sign > 0).map(([id]) => id)
}

function nearest(drawn: Drawn, ids: string[], here: Point): string | null {
  let best: string | null = null
  let least = Infinity
  for (const id of ids) {
    const place = drawn.places.get(id)
    if (!place) continue
    const far = Math.abs(place.y - here.y)
    if (far < least) [best, least] = [id, far]
  }
  return best
}
