import { expect, test } from 'vitest'
import { difference } from './difference'
import { INGEST, ORDERS, SAMPLE, TABLE, TOTALS } from './sample'

const none = { nodes: [], edges: [], columnEdges: [] }

test('what came, went and changed is marked, with a note', () => {
  const found = difference({
    node: TABLE,
    added: { ...none, nodes: [SAMPLE.nodes[4]!], edges: [SAMPLE.edges[3]!] },
    removed: { ...none, nodes: [SAMPLE.nodes[0]!] },
    changed: {
      nodes: [
        { id: INGEST, state: ['RUNNING', 'FAILED'] },
        { id: TABLE, columns: { added: ['tax'], removed: [], changed: [{ name: 'price', from: 'double', to: 'decimal(10,2)' }] } },
      ],
      columnEdges: [],
    },
    truncated: false,
  })
  expect(found.nodes.get(TOTALS)).toBe('added')
  expect(found.nodes.get(ORDERS)).toBe('removed')
  expect(found.notes.get(INGEST)).toEqual(['RUNNING → FAILED'])
  expect(found.notes.get(TABLE)).toEqual(['+ tax', 'price: double → decimal(10,2)'])
  expect(found.counts).toEqual({ added: 2, removed: 1, changed: 2 })
})
