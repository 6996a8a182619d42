import { expect, test } from 'vitest'
import { fromStream, passes, together, type Event } from './tail'

const NO_FILTERS = { filter: '', namespace: '', type: '', run: '' }
const event = (id: number, more: Partial<Event> = {}): Event => ({
  id,
  type: 'START',
  eventTime: '2026-01-01T00:00:00Z',
  receivedAt: '2026-01-01T00:00:01Z',
  job: 'job:etl:load_Orders',
  run: 'r1',
  ...more,
})

test('an event of the stream becomes a row of the log', () => {
  const row = fromStream({ id: '7', type: 'FAIL', eventTime: 't', job: 'job:a:b', run: 'r', state: 'FAILED' }, 'now')
  expect(row).toEqual({ id: 7, type: 'FAIL', eventTime: 't', receivedAt: 'now', job: 'job:a:b', run: 'r', state: 'FAILED' })
})

test.each([
  [{}, true],
  [{ filter: 'orders' }, true],
  [{ filter: 'etl' }, true],
  [{ filter: 'stats' }, false],
  [{ namespace: 'etl' }, true],
  [{ namespace: 'et' }, false],
  [{ type: 'START,FAIL' }, true],
  [{ type: 'FAIL' }, false],
  [{ run: 'r1' }, true],
  [{ run: 'r2' }, false],
])('filters %o let it pass: %s', (filters, expected) => {
  expect(passes(event(1), { ...NO_FILTERS, ...filters })).toBe(expected)
})

test('new rows come first and no row comes twice', () => {
  const ids = (rows: Event[]) => rows.map((row) => row.id)
  expect(ids(together([event(4), event(3)], [event(3), event(2)]))).toEqual([4, 3, 2])
  expect(ids(together([event(2), event(3)], [event(1)], 2))).toEqual([3, 2])
})
