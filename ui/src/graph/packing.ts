/** Parts that nothing connects, put on one page. */
import type { Bend, Layout, Point } from './layout'

/** How much wider than high a page is. */
export const PAGE_SHAPE = 2.4
const PART_GAP = 56

/** Parts side by side on a page about as wide as a screen: each as high up as it fits, the largest first. */
export function pack(parts: readonly Layout[]): Layout {
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
