import { expect, test } from 'vitest'
import { deck } from './cards'
import { edgeLabel, words } from './figures'
import { model } from './model'
import { INGEST, ORDERS, SAMPLE, TABLE } from './sample'
import { parseView } from './view'

const { cards } = deck(model(SAMPLE), parseView(''))

test('a running stream says its rate on both sides and its lag where it reads', () => {
  expect(edgeLabel({ from: ORDERS, to: INGEST, kind: 'read' }, cards)).toEqual({ rate: '9.8k/s', behind: 'lag 1.2k' })
  expect(edgeLabel({ from: INGEST, to: TABLE, kind: 'write' }, cards)).toEqual({ rate: '9.8k/s', behind: '' })
})

test('without figures there is no label', () => {
  expect(edgeLabel({ from: ORDERS, to: TABLE, kind: 'link' }, cards)).toBeNull()
})

test('all figures fit one line', () => {
  expect(words({ rowsPerSecond: 42, lag: 118, watermarkDelayMs: 4_200 })).toBe('42/s · lag 118 · 4.2 s behind')
})
