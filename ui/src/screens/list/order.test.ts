import { expect, test } from 'vitest'
import { next } from './order'

test('a column sorts by its usual end first and by the other when asked again', () => {
  expect(next('-updated', 'name', false)).toBe('name')
  expect(next('name', 'name', false)).toBe('-name')
  expect(next('-name', 'name', false)).toBe('name')
  expect(next('name', 'started', true)).toBe('-started')
  expect(next('-started', 'started', true)).toBe('started')
})
