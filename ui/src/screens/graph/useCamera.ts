import { startTransition, useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react'
import { fit, panBy, reveal, seen, zoomAt, type Camera, type Size } from '../../graph/camera'
import type { Point } from '../../graph/layout'
import type { Rect } from '../../graph/scene'

// Below these zooms a card says less, in larger letters.
const MIDDLE_BELOW = 0.62
const FAR_BELOW = 0.22
const MARGIN_SCREENS = 0.6

export type Detail = 'near' | 'middle' | 'far'

/** Pixels of the plane that something lies over. */
export interface Covered {
  right: number
  bottom: number
}

export interface Eye {
  /** What to draw: the part of the plane on screen and some around it. */
  window: Rect | null
  detail: Detail
  current: () => Camera
  size: () => Size
  fit: (bounds: Rect, least?: number, around?: Point) => void
  reveal: (rect: Rect) => void
  zoom: (factor: number) => void
  set: (camera: Camera) => void
  onMove: (listener: () => void) => () => void
}

/** Panning and zooming. It writes to the element itself; React only hears when there is something new to draw. */
export function useCamera(host: RefObject<HTMLElement | null>, world: RefObject<HTMLElement | null>, covered: Covered, moved: (camera: Camera) => void): Eye {
  const camera = useRef<Camera>({ x: 0, y: 0, zoom: 1 })
  const size = useRef<Size>({ width: 1, height: 1 })
  const drawn = useRef<{ window: Rect; zoom: number } | null>(null)
  const listeners = useRef(new Set<() => void>())
  const [state, setState] = useState<{ window: Rect | null; detail: Detail }>({ window: null, detail: 'near' })
  const told = useRef(moved)
  told.current = moved
  const cover = useRef(covered)
  cover.current = covered
  const open = () => ({ width: size.current.width - cover.current.right, height: size.current.height - cover.current.bottom })

  const apply = useCallback(
    (next: Camera) => {
      camera.current = next
      if (world.current) world.current.style.transform = `scale(${next.zoom}) translate(${-next.x}px, ${-next.y}px)`
      const view = seen(next, size.current)
      const known = drawn.current
      const detail = detailAt(next.zoom)
      if (!known || !contains(known.window, view) || known.zoom / next.zoom > 2 || next.zoom / known.zoom > 2 || detailAt(known.zoom) !== detail) {
        drawn.current = { window: seen(next, size.current, MARGIN_SCREENS), zoom: next.zoom }
        const { window } = drawn.current
        // The plane moves at once; what comes into sight is made in slices.
        startTransition(() => setState({ window, detail }))
      }
      for (const listener of listeners.current) listener()
    },
    [world],
  )

  useLayoutEffect(() => {
    const element = host.current!
    const measure = () => {
      size.current = { width: element.clientWidth, height: element.clientHeight }
      apply(camera.current)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [host, apply])

  useEffect(() => {
    const element = host.current!
    const pointers = new Map<number, Point>()
    let dragged = false
    const local = (event: { clientX: number; clientY: number }): Point => {
      const box = element.getBoundingClientRect()
      return { x: event.clientX - box.left, y: event.clientY - box.top }
    }
    const byHand = (next: Camera) => {
      apply(next)
      told.current(next)
    }
    const down = (event: PointerEvent) => {
      if (event.button !== 0 || (event.target as Element).closest('input, .columns[data-scroll], .floating')) return
      pointers.set(event.pointerId, local(event))
      dragged = false
    }
    const move = (event: PointerEvent) => {
      const before = pointers.get(event.pointerId)
      if (!before) return
      const now = local(event)
      if (pointers.size === 1) {
        if (!dragged && Math.hypot(now.x - before.x, now.y - before.y) < 4) return
        // Only now is it a drag: captured earlier, a click would not reach its button.
        if (!dragged) element.setPointerCapture(event.pointerId)
        dragged = true
        byHand(panBy(camera.current, now.x - before.x, now.y - before.y))
      } else {
        const other = [...pointers].find(([id]) => id !== event.pointerId)![1]
        const far = Math.hypot(now.x - other.x, now.y - other.y)
        const was = Math.hypot(before.x - other.x, before.y - other.y)
        dragged = true
        byHand(zoomAt(camera.current, { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }, far / Math.max(1, was)))
      }
      pointers.set(event.pointerId, now)
    }
    const up = (event: PointerEvent) => pointers.delete(event.pointerId)
    const click = (event: MouseEvent) => {
      if (!dragged) return
      dragged = false
      event.stopPropagation()
      event.preventDefault()
    }
    const wheel = (event: WheelEvent) => {
      const list = (event.target as Element).closest('.columns[data-scroll]')
      if (list && !event.ctrlKey) return
      event.preventDefault()
      // A mouse wheel comes in large even steps and zooms; two fingers move the plane.
      const isWheel = event.ctrlKey || event.metaKey || event.deltaMode !== 0 || (event.deltaX === 0 && Math.abs(event.deltaY) >= 100)
      if (isWheel) byHand(zoomAt(camera.current, local(event), Math.exp(-Math.sign(event.deltaY) * Math.min(0.25, Math.abs(event.deltaY) / (event.ctrlKey ? 100 : 500)))))
      else byHand(panBy(camera.current, -event.deltaX, -event.deltaY))
    }
    element.addEventListener('pointerdown', down)
    element.addEventListener('pointermove', move)
    element.addEventListener('pointerup', up)
    element.addEventListener('pointercancel', up)
    element.addEventListener('click', click, true)
    element.addEventListener('wheel', wheel, { passive: false })
    return () => {
      element.removeEventListener('pointerdown', down)
      element.removeEventListener('pointermove', move)
      element.removeEventListener('pointerup', up)
      element.removeEventListener('pointercancel', up)
      element.removeEventListener('click', click, true)
      element.removeEventListener('wheel', wheel)
    }
  }, [host, apply])

  const eye = useRef<Omit<Eye, 'window' | 'detail'>>({
    current: () => camera.current,
    size: () => size.current,
    fit: (bounds, least, around) => apply(fit(bounds, open(), least, around)),
    reveal: (rect) => apply(reveal(camera.current, rect, open())),
    zoom: (factor) => {
      apply(zoomAt(camera.current, { x: size.current.width / 2, y: size.current.height / 2 }, factor))
      told.current(camera.current)
    },
    set: apply,
    onMove: (listener) => {
      listeners.current.add(listener)
      return () => listeners.current.delete(listener)
    },
  })
  return { ...eye.current, ...state }
}

function detailAt(zoom: number): Detail {
  return zoom < FAR_BELOW ? 'far' : zoom < MIDDLE_BELOW ? 'middle' : 'near'
}

function contains(outer: Rect, inner: Rect): boolean {
  return outer.x <= inner.x && outer.y <= inner.y && outer.x + outer.width >= inner.x + inner.width && outer.y + outer.height >= inner.y + inner.height
}
