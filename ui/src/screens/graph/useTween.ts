import { useEffect, useRef, useState } from 'react'
import type { Layout } from '../../graph/layout'

const MS = 150
const MOST = 200

/** A layout that glides from the one before: what moves can be followed with the eye. */
export function useTween(target: Layout | null): Layout | null {
  const [shown, setShown] = useState(target)
  const from = useRef(target)
  useEffect(() => {
    const start = from.current
    const still = matchMedia('(prefers-reduced-motion: reduce)').matches
    if (!target || !start || still || target.places.size > MOST || ![...target.places.keys()].some((id) => start.places.has(id))) {
      from.current = target
      setShown(target)
      return
    }
    const begun = performance.now()
    let frame = 0
    const step = (now: number) => {
      const part = Math.min(1, Math.max(0, (now - begun) / MS))
      const next = part === 1 ? target : between(start, target, 1 - (1 - part) ** 3)
      from.current = next
      setShown(next)
      if (part < 1) frame = requestAnimationFrame(step)
    }
    frame = requestAnimationFrame(step)
    return () => cancelAnimationFrame(frame)
  }, [target])
  // A new card has no earlier place; it must never be drawn without one.
  return shown && target && shown.places.size === target.places.size ? shown : target
}

function between(a: Layout, b: Layout, part: number): Layout {
  const places = new Map(
    [...b.places].map(([id, to]) => {
      const from = a.places.get(id)
      return [id, from ? { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part } : to]
    }),
  )
  return { ...b, places }
}
