import { expect, test } from 'vitest'
import { DEFAULT_DEPTH, hidden, parseView } from './view'

test('an empty address is the plain view', () => {
  expect(parseView('')).toMatchObject({ node: null, direction: 'both', depth: DEFAULT_DEPTH, open: [], group: 'auto', at: null })
})

test('an address says everything', () => {
  const view = parseView('?node=job:a:b&direction=up&depth=7&open=x&open=y&sel=x&column=price&hide=tmp_*&at=2026-01-31T12:00:00Z&group=all&unfold=n')
  expect(view).toMatchObject({
    node: 'job:a:b', direction: 'up', depth: 7, open: ['x', 'y'], selected: 'x', column: 'price', hide: 'tmp_*',
    at: '2026-01-31T12:00:00Z', group: 'all', unfolded: ['n'],
  })
})

test('nonsense in an address is as if it were not there', () => {
  expect(parseView('?depth=many&direction=sideways&at=yesterday&limit=-4&column=orphan')).toMatchObject({
    depth: DEFAULT_DEPTH, direction: 'both', at: null, limit: 10, column: null,
  })
})

test('patterns hide whole names with a star, and any part without', () => {
  const isHidden = hidden('tmp_*, staging')
  expect(isHidden('tmp_1')).toBe(true)
  expect(isHidden('not_tmp_1')).toBe(false)
  expect(isHidden('my_STAGING_table')).toBe(true)
  expect(hidden('')('anything')).toBe(false)
  expect(hidden('a.b(')('a.b(c')).toBe(true)
})
