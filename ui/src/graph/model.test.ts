import { expect, test } from 'vitest'
import { model } from './model'
import { INGEST, ORDERS, SAMPLE, TABLE } from './sample'

test('nodes know their engine, state and kind of processing', () => {
  const { nodes } = model(SAMPLE)
  expect(nodes.get(INGEST)).toMatchObject({ engine: 'spark', state: 'running', streaming: true, figures: { rowsPerSecond: 9800, lag: 1200 } })
  expect(nodes.get(ORDERS)).toMatchObject({ engine: 'kafka', streaming: false })
  expect(nodes.get(TABLE)).toMatchObject({ engine: 'iceberg', columns: expect.arrayContaining([{ name: 'price', type: 'string', tags: ['PII'] }]), tags: ['GOLD'] })
})

test('a node counts only the edges that are not shown', () => {
  expect(model(SAMPLE).nodes.get(ORDERS)!.more).toEqual({ in: 1, out: 0 })
})

test('answers are joined without doubling what both have', () => {
  const joined = model(SAMPLE, SAMPLE)
  expect(joined.nodes.size).toBe(5)
  expect(joined.edges).toHaveLength(4)
  expect(joined.flows).toHaveLength(3)
})

test('an edge to a node that is not there is left out', () => {
  const part = { ...SAMPLE, nodes: SAMPLE.nodes.slice(0, 2) }
  expect(model(part).edges).toHaveLength(1)
})
