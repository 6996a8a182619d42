import { expect, test } from 'vitest'
import { ago, bytes, count, duration, middle, rate } from './format'

test.each([
  [340, '340 ms'],
  [1_200, '1.2 s'],
  [42_000, '42 s'],
  [65_000, '1 min 5 s'],
  [12 * 60_000 + 9_000, '12 min'],
  [3 * 3_600_000 + 5 * 60_000, '3 h 5 min'],
  [76 * 3_600_000, '3 d 4 h'],
  [719 * 86_400_000, '2.0 y'],
  [-1, '–'],
])('%d ms is %s', (ms, words) => expect(duration(ms)).toBe(words))

test.each([
  [0, '0'],
  [999, '999'],
  [9_800, '9.8k'],
  [999_950, '1M'],
  [1_234_567, '1.2M'],
  [12_345, '12k'],
  [0.25, '0.3'],
])('%d is %s', (n, words) => expect(count(n)).toBe(words))

test('a rate says that it is one', () => expect(rate(9_800)).toBe('9.8k/s'))

test('bytes use the largest unit that fits', () => {
  expect(bytes(512)).toBe('512 B')
  expect(bytes(5 * 2 ** 20)).toBe('5.0 MB')
})

test('a time is told from now, both ways', () => {
  const now = Date.parse('2026-01-31T12:00:00Z')
  expect(ago('2026-01-31T11:56:00Z', now)).toBe('4 min ago')
  expect(ago('2026-01-31T14:00:00Z', now)).toBe('in 2 h')
  expect(ago('2026-01-31T11:59:58Z', now)).toBe('now')
  expect(ago('nonsense', now)).toBe('–')
})

test('a long name is cut in the middle and keeps its length', () => {
  expect(middle('short', 10)).toBe('short')
  const cut = middle('supplier_stats_batch.overwrite_by_expression.demo_ib_default_supplier_stats', 30)
  expect(cut).toHaveLength(30)
  expect(cut.startsWith('supplier_')).toBe(true)
  expect(cut.endsWith('supplier_stats')).toBe(true)
})
