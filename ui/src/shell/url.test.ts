import { expect, test } from 'vitest'
import { placeOf } from './places'
import { changed, href, readable } from './url'

test('parameters are set, repeated and removed', () => {
  const params = changed('?a=1&b=2&c=3', { a: null, b: ['x', 'y'] })
  expect([...params]).toEqual([['c', '3'], ['b', 'x'], ['b', 'y']])
})

test('names stay readable in an address', () => {
  expect(readable(changed('', { node: 'dataset:s3://warehouse:a&b' }))).toBe('node=dataset:s3://warehouse:a%26b')
})

test('places are found under any sub-path', () => {
  expect(placeOf('/')).toBe('')
  expect(placeOf('/lineage/')).toBe('')
  expect(placeOf('/lineage/jobs')).toBe('jobs')
  expect(placeOf('/nowhere')).toBeNull()
})

test('a link is relative to where the page is', () => {
  expect(href('jobs', { q: 'a' })).toBe('jobs?q=a')
  expect(href('')).toBe('./')
})
