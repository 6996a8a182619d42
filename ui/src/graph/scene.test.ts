import { expect, test } from 'vitest'
import { deck, HEADER, ROW } from './cards'
import { layout } from './layout'
import { model } from './model'
import { ORDERS, SAMPLE, TABLE } from './sample'
import { boxesOf, curve, linksOf, overlaps, rowHeight, scene } from './scene'
import { parseView } from './view'

const graph = model(SAMPLE)

function drawn(search: string, lit = graph.flows.slice(0, 0)) {
  const cards = deck(graph, parseView(search), lit)
  return scene(cards, layout(boxesOf(cards), linksOf(cards)), lit)
}

test('every edge between drawn cards is a path', () => {
  const { edges, bounds } = drawn('')
  expect(edges).toHaveLength(4)
  for (const edge of edges) expect(edge.path).toMatch(/^M[\d. -]+C/)
  expect(bounds.width).toBeGreaterThan(1_000)
})

test('a lit path runs through the job that makes it, dashed where it only decides', () => {
  const { strands } = drawn('', graph.flows)
  const direct = strands.filter((strand) => strand.direct)
  // price → ingest → price → stats → total_price, and supplier → stats beside it.
  expect(strands).toHaveLength(5)
  expect(direct).toHaveLength(4)
  expect(strands.find((strand) => strand.key.startsWith(`${TABLE}\nsupplier`))!.direct).toBe(false)
})

test('a row meets its edges at its own height, a closed card at its port', () => {
  const { cards } = drawn(`?open=${ORDERS}`)
  expect(rowHeight(cards.get(ORDERS)!, 'price')).toBe(HEADER + 1.5 * ROW)
  expect(rowHeight(cards.get(TABLE)!, 'price')).toBe(26)
  expect(rowHeight(cards.get(ORDERS)!, '')).toBe(26)
})

test('a path bends where it is told to', () => {
  expect(curve({ x: 0, y: 0 }, { x: 300, y: 0 }, [{ from: 100, to: 200, y: 50 }])).toContain('L200 50')
})

test('an edge that goes back passes below what is between', () => {
  expect(curve({ x: 300, y: 0 }, { x: 0, y: 0 })).toMatch(/^M300 0C\d+ 72 -\d+ 72 0 0$/)
})

test('rectangles overlap or not', () => {
  const a = { x: 0, y: 0, width: 10, height: 10 }
  expect(overlaps(a, { x: 5, y: 5, width: 10, height: 10 })).toBe(true)
  expect(overlaps(a, { x: 11, y: 0, width: 10, height: 10 })).toBe(false)
})
