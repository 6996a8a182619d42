import { expect, test } from 'vitest'
import { deck } from './cards'
import { edgeFacts, known, strandFacts } from './evidence'
import { layout } from './layout'
import { model } from './model'
import { INGEST, ORDERS, SAMPLE, STATS, TABLE, TOTALS } from './sample'
import { boxesOf, linksOf, scene } from './scene'
import { parseView } from './view'

const graph = model(SAMPLE)
const NOW = Date.parse('2026-01-01T00:04:00Z')

function drawn(search: string, lit = graph.flows.slice(0, 0)) {
  const cards = deck(graph, parseView(search), lit)
  return scene(cards, layout(boxesOf(cards), linksOf(cards)), lit)
}

test('an edge says how it is known, when it was seen and by whom', () => {
  const first = { ...graph.edges[0]!, at: '2026-01-01T00:00:00Z', producer: 'spark' }
  const [how, seen, by] = edgeFacts({ first, count: 1 }, NOW)
  expect(how).toEqual({ what: 'Reads', said: 'observed in a run' })
  expect(seen!.said).toContain('4 min ago')
  expect(by).toEqual({ what: 'Reported by', said: 'spark' })
})

test('an edge of folded namespaces says how many it stands for', () => {
  expect(edgeFacts({ first: graph.edges[0]!, count: 3 }, NOW)).toEqual([{ what: '3 edges', said: 'between what is folded here' }])
})

test('a stretch of a path says how each column is made', () => {
  expect(strandFacts({ flows: graph.flows.slice(1) })).toEqual([
    { what: 'price → total_price', said: 'direct · identity' },
    { what: 'supplier → total_price', said: 'indirect · group by' },
  ])
})

test('a card has what comes in before what goes out, each with its other end', () => {
  expect(known(drawn(''), TABLE, NOW).map(({ title, other }) => [title, other])).toEqual([
    ['ingest → orders', INGEST],
    ['orders → stats', STATS],
  ])
})

test('on a lit path the transformations come first', () => {
  const found = known(drawn('', graph.flows), STATS, NOW)
  expect(found.slice(0, 3).map(({ other }) => other)).toEqual([TABLE, TOTALS, TABLE])
  expect(found[0]!.facts).toEqual([{ what: 'price → total_price', said: 'direct · identity' }])
  expect(known(drawn('', graph.flows), ORDERS, NOW)[0]!.other).toBe(INGEST)
})
