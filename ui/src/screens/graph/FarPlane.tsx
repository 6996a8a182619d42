import { memo, useEffect, useLayoutEffect, useRef } from 'react'
import type { Rect, Scene } from '../../graph/scene'
import { ask, hear } from './desk'
import { TOKENS } from './paint'

const MOST_PIXELS = 4_096

interface Props {
  scene: Scene
  window: Rect
  zoom: number
  path: ReadonlySet<string> | null
  theme: string
  pick: (id: string) => void
}

/** Many cards from far away, painted as one picture: elements would take longer to make than to look at. */
export const FarPlane = memo(function FarPlane({ scene, window: near, zoom, path, theme, pick }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const shown = useRef<Rect>(near)
  const scale = Math.min(zoom * (globalThis.devicePixelRatio || 1), MOST_PIXELS / near.width, MOST_PIXELS / near.height)

  useEffect(
    () =>
      hear((told) => {
        const element = canvas.current
        if (told.kind !== 'painted' || !element) return
        // The picture and its place change together, so that nothing jumps while another part is painted.
        const { x, y, width, height } = (shown.current = told.picture.near)
        Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` })
        element.getContext('bitmaprenderer')!.transferFromImageBitmap(told.image)
        element.dataset.painted = ''
      }),
    [],
  )
  useLayoutEffect(() => {
    const style = getComputedStyle(canvas.current!)
    const colours = Object.fromEntries(TOKENS.map((name) => [name, style.getPropertyValue(name)]))
    ask({ kind: 'paint', picture: { near, scale, colours, font: style.fontFamily, path } })
  }, [scene, near, scale, path, theme])

  return (
    <canvas
      ref={canvas}
      className="far-plane"
      aria-hidden="true"
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        const { x, y, width, height } = shown.current
        const id = cardAt(scene, x + ((event.clientX - box.left) / box.width) * width, y + ((event.clientY - box.top) / box.height) * height)
        if (id !== null) pick(id)
      }}
    />
  )
})

function cardAt(scene: Scene, x: number, y: number): string | null {
  for (const card of scene.cards.values()) {
    const place = scene.places.get(card.id)
    if (place && x >= place.x && x <= place.x + card.width && y >= place.y && y <= place.y + card.height) return card.id
  }
  return null
}
