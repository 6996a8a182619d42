import { expect, test } from 'vitest'
import { reach } from './trace'

const edges = ['a>j', 'j>b', 'b>k', 'k>c', 'x>k', 'j>y'].map((pair) => ({ from: pair[0]!, to: pair[2]! }))

test.each([
  ['b', 'up', 'abj'],
  ['b', 'down', 'bck'],
  ['b', 'both', 'abcjk'],
  ['x', 'both', 'ckx'],
] as const)('from %s %s are %s', (start, direction, expected) => {
  expect([...reach(edges, start, direction)].sort().join('')).toBe(expected)
})

test('a cycle ends', () => {
  expect(reach([...edges, { from: 'c', to: 'a' }], 'a', 'both').size).toBe(7)
})
