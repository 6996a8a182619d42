/** What part of the plane is on screen: a point of it at the top left, and a scale. */
import type { Point } from './layout'
import type { Rect } from './scene'

export interface Camera {
  x: number
  y: number
  zoom: number
}

export interface Size {
  width: number
  height: number
}

export const LEAST_ZOOM = 0.04
export const MOST_ZOOM = 2
const MARGIN = 28

/** Closer or farther, with the point of the screen held still. */
export function zoomAt(camera: Camera, point: Point, factor: number): Camera {
  const zoom = Math.min(MOST_ZOOM, Math.max(LEAST_ZOOM, camera.zoom * factor))
  return { x: camera.x + point.x / camera.zoom - point.x / zoom, y: camera.y + point.y / camera.zoom - point.y / zoom, zoom }
}

export function panBy(camera: Camera, dx: number, dy: number): Camera {
  return { ...camera, x: camera.x - dx / camera.zoom, y: camera.y - dy / camera.zoom }
}

/**
 * All of a rectangle in the middle of the screen, never larger than life.
 * With a least zoom, what does not fit is cut off, and the point `around` stays on screen.
 */
export function fit(bounds: Rect, size: Size, least = LEAST_ZOOM, around: Point = bounds): Camera {
  const width = Math.max(80, size.width - 2 * MARGIN)
  const height = Math.max(80, size.height - 2 * MARGIN)
  const wanted = Math.min(1, width / Math.max(1, bounds.width), height / Math.max(1, bounds.height))
  const zoom = Math.max(LEAST_ZOOM, least, wanted)
  return {
    x: held(bounds.x, bounds.width, size.width / zoom, around.x, MARGIN / zoom),
    y: held(bounds.y, bounds.height, size.height / zoom, around.y, MARGIN / zoom),
    zoom,
  }
}

/** Where a span of the screen begins: centred on a span of the plane that is smaller, or around a point of a larger one. */
function held(start: number, length: number, room: number, point: number, margin: number): number {
  if (length + 2 * margin <= room) return start + length / 2 - room / 2
  return Math.min(start + length + margin - room, Math.max(start - margin, point - room / 2))
}

/** The part of the plane on screen, and `extra` screens around it. */
export function seen(camera: Camera, size: Size, extra = 0): Rect {
  const width = size.width / camera.zoom
  const height = size.height / camera.zoom
  return { x: camera.x - width * extra, y: camera.y - height * extra, width: width * (1 + 2 * extra), height: height * (1 + 2 * extra) }
}

/** Moved as little as needed for a rectangle to be on screen. */
export function reveal(camera: Camera, rect: Rect, size: Size): Camera {
  const width = size.width / camera.zoom
  const height = size.height / camera.zoom
  const margin = Math.min(MARGIN / camera.zoom, Math.max(0, (width - rect.width) / 2), Math.max(0, (height - rect.height) / 2))
  const x = Math.min(Math.max(camera.x, rect.x + rect.width + margin - width), rect.x - margin)
  const y = Math.min(Math.max(camera.y, rect.y + rect.height + margin - height), rect.y - margin)
  return { ...camera, x, y }
}
