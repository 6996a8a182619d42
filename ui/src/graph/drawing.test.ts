import { expect, test } from 'vitest'
import { groupId } from './cards'
import { drawing, type Answers } from './drawing'
import { INGEST, ORDERS, SAMPLE, STATS, TABLE } from './sample'
import { parseView } from './view'

const answers: Answers = { graph: SAMPLE, opened: [], path: null, changes: null }

test('a refresh that changes no card moves nothing', () => {
  const first = drawing(answers, parseView(''))
  const failed = structuredClone(SAMPLE)
  failed.nodes.find((node) => node.id === STATS)!.state = 'FAILED'
  const second = drawing({ ...answers, graph: failed }, parseView(''), first)
  expect(second.deck.cards.get(STATS)!.node!.state).toBe('failed')
  expect(second.layout).toBe(first.layout)
})

test('an opened card is laid out anew', () => {
  const first = drawing(answers, parseView(''))
  const second = drawing(answers, parseView(`?open=${TABLE}`), first)
  expect(second.layout).not.toBe(first.layout)
  expect(second.layout.places.size).toBe(5)
})

test('of folded nodes only those that are named lead to their card', () => {
  const { deck } = drawing(answers, parseView(`?group=all&sel=${INGEST}`))
  expect([...deck.cardOf]).toEqual([[INGEST, groupId('lab')]])
})

test('the path of a column is lit, and its ends lead to their cards', () => {
  const { lit, deck } = drawing({ ...answers, path: SAMPLE }, parseView(`?sel=${TABLE}&column=price`))
  expect(lit).toHaveLength(3)
  expect(deck.cardOf.get(ORDERS)).toBe(ORDERS)
})

test('an opened dataset without columns asks for them', () => {
  const bare = structuredClone(SAMPLE)
  delete bare.nodes.find((node) => node.id === TABLE)!.columns
  const view = parseView(`?open=${TABLE}&open=${ORDERS}`)
  expect(drawing({ ...answers, graph: bare }, view).missing).toEqual([TABLE])
  const opened = { ...SAMPLE, nodes: SAMPLE.nodes.filter((node) => node.id === TABLE), edges: [], columnEdges: [] }
  expect(drawing({ ...answers, graph: bare, opened: [opened] }, view).deck.cards.get(TABLE)!.rows).toHaveLength(3)
})
