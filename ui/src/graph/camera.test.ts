import { expect, test } from 'vitest'
import { fit, LEAST_ZOOM, panBy, reveal, seen, zoomAt } from './camera'

const size = { width: 1000, height: 500 }

test('zooming holds the point under the cursor', () => {
  const before = { x: 10, y: 20, zoom: 0.5 }
  const after = zoomAt(before, { x: 300, y: 100 }, 1.5)
  expect(after.x + 300 / after.zoom).toBeCloseTo(before.x + 300 / before.zoom)
  expect(after.y + 100 / after.zoom).toBeCloseTo(before.y + 100 / before.zoom)
})

test('there is a farthest zoom', () => expect(zoomAt({ x: 0, y: 0, zoom: 1 }, { x: 0, y: 0 }, 1e-9).zoom).toBe(LEAST_ZOOM))

test('dragging moves the plane with the hand', () => {
  expect(panBy({ x: 0, y: 0, zoom: 2 }, 100, -50)).toEqual({ x: -50, y: 25, zoom: 2 })
})

test('fitting shows all of it, in the middle', () => {
  const bounds = { x: 0, y: 0, width: 4000, height: 300 }
  const view = seen(fit(bounds, size), size)
  expect(view.x).toBeLessThan(0)
  expect(view.x + view.width).toBeGreaterThan(4000)
  expect(fit({ x: 0, y: 0, width: 10, height: 10 }, size).zoom).toBe(1)
})

test('what cannot fit at the least zoom is cut off around a point', () => {
  const bounds = { x: 0, y: 0, width: 4000, height: 300 }
  expect(fit(bounds, size, 0.5, { x: 0, y: 0 })).toMatchObject({ zoom: 0.5, x: -56 })
  expect(fit(bounds, size, 0.5, { x: 2000, y: 0 }).x).toBe(1000)
  expect(fit(bounds, size, 0.5, { x: 4000, y: 0 }).x).toBe(4000 + 56 - 2000)
})

test('what is on screen already is not moved, what is not comes just into view', () => {
  const camera = { x: 0, y: 0, zoom: 1 }
  expect(reveal(camera, { x: 100, y: 100, width: 50, height: 50 }, size)).toEqual(camera)
  expect(reveal(camera, { x: 1500, y: 100, width: 50, height: 50 }, size).x).toBe(1500 + 50 + 28 - 1000)
})
