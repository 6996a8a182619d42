import { expect, test } from 'vitest'
import { deck, groupId, HEADER, ROW, ROWS_SHOWN } from './cards'
import { model } from './model'
import { INGEST, ORDERS, SAMPLE, STATS, TABLE, TOTALS } from './sample'
import { parseView } from './view'

const graph = model(SAMPLE)

test('a closed dataset is a header, an open one has a row for each column', () => {
  const { cards } = deck(graph, parseView(`?open=${TABLE}`))
  expect(cards.get(ORDERS)).toMatchObject({ rows: null, height: HEADER })
  expect(cards.get(TABLE)!.rows!.map((row) => row.name)).toEqual(['order_id', 'price', 'supplier'])
  expect(cards.get(TABLE)!.height).toBeGreaterThanOrEqual(HEADER + 3 * ROW)
})

test('a lit path shows just its columns in datasets that are closed', () => {
  const { cards } = deck(graph, parseView(''), graph.flows.slice(0, 2))
  expect(cards.get(ORDERS)).toMatchObject({ partial: true, rows: [{ name: 'price' }] })
  expect(cards.get(TOTALS)!.rows!.map((row) => row.name)).toEqual(['total_price'])
})

test('of many columns the lit ones come first', () => {
  const wide = structuredClone(SAMPLE)
  wide.nodes[2]!.columns = Array.from({ length: 40 }, (_, i) => ({ name: i === 30 ? 'price' : `c${i}`, type: 'int' }))
  const graph = model(wide)
  const card = deck(graph, parseView(`?open=${TABLE}`), graph.flows.slice(0, 1)).cards.get(TABLE)!
  expect(card.rows![0]!.name).toBe('price')
  expect(card.filter).toBe(true)
  expect(card.height).toBeLessThan(HEADER + (ROWS_SHOWN + 3) * ROW)
})

test('a folded namespace is one card that says how its jobs are', () => {
  const { cards, edges, cardOf } = deck(graph, parseView('?fold=lab'))
  expect(cards.get(groupId('lab'))!.group).toEqual({ namespace: 'lab', jobs: 2, datasets: 0, running: 1, failed: 0 })
  expect(cardOf.get(INGEST)).toBe(groupId('lab'))
  expect(edges.map((edge) => edge.kind)).toEqual(['group', 'group', 'group', 'group'])
})

test('edges within a folded namespace are not drawn, and parallel ones are one', () => {
  const { cards, edges } = deck(graph, parseView('?group=all'))
  expect(cards.size).toBe(3)
  expect(edges.map((edge) => [edge.from, edge.to, edge.count])).toEqual([
    [groupId('kafka://broker'), groupId('lab'), 1],
    [groupId('lab'), groupId('s3://warehouse'), 2],
    [groupId('s3://warehouse'), groupId('lab'), 1],
  ])
})

test('a namespace that was unfolded stays so', () => {
  expect(deck(graph, parseView('?group=all&unfold=lab')).cards.has(STATS)).toBe(true)
})

test('what a pattern names is hidden, with its edges', () => {
  const { cards, edges, hiddenByPattern } = deck(graph, parseView('?hide=sta*'))
  expect(cards.has(STATS)).toBe(false)
  expect(hiddenByPattern).toBe(1)
  expect(edges).toHaveLength(2)
})

test('what nothing connects is only counted, unless there is nothing else', () => {
  const lonely = { ...SAMPLE, edges: SAMPLE.edges.slice(0, 1) }
  expect(deck(model(lonely), parseView('')).alone).toBe(3)
  expect(deck(model({ ...SAMPLE, edges: [] }), parseView('')).cards.size).toBe(5)
})
