import { expect, test } from 'vitest'
import { charts } from './charts'

test('a chart for each figure that was reported, with its last value in words', () => {
  const points = [
    { at: '2026-01-01T00:00:00Z', inputRowsPerSecond: 10, lag: 0 },
    { at: '2026-01-01T00:01:00Z', inputRowsPerSecond: 9800, lag: 1200, stateBytes: 2048 },
  ]
  expect(charts(points)).toEqual([
    { label: 'Rows in', values: [10, 9800], now: '9.8k/s' },
    { label: 'Lag', values: [0, 1200], now: '1.2k rows' },
    { label: 'State size', values: [2048], now: '2.0 kB' },
  ])
  expect(charts([])).toEqual([])
})
