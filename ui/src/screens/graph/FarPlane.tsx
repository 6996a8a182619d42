import { memo, useLayoutEffect, useRef } from 'react'
import type { Difference, Mark } from '../../graph/difference'
import { middle } from '../../design/format'
import { overlaps, type Rect, type Scene } from '../../graph/scene'

const MOST_PIXELS = 4_096
const STATES: Record<string, string> = { failed: '--fail', lost: '--lost', running: '--running', aborted: '--warn', complete: '--ok' }
const MARKS: Record<Mark, string> = { added: '--ok', removed: '--fail', changed: '--warn' }

interface Props {
  scene: Scene
  window: Rect
  zoom: number
  path: ReadonlySet<string> | null
  diff: Difference | null
  theme: string
  pick: (id: string) => void
}

/** Many cards from far away, painted as one picture: elements would take longer to make than to look at. */
export const FarPlane = memo(function FarPlane({ scene, window: near, zoom, path, diff, theme, pick }: Props) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const scale = Math.min(zoom * (globalThis.devicePixelRatio || 1), MOST_PIXELS / near.width, MOST_PIXELS / near.height)

  useLayoutEffect(() => {
    const element = canvas.current!
    element.width = Math.ceil(near.width * scale)
    element.height = Math.ceil(near.height * scale)
    paint(element, scene, near, scale, path, diff)
  }, [scene, near, scale, path, diff, theme])

  return (
    <canvas
      ref={canvas}
      className="far-plane"
      aria-hidden="true"
      style={{ left: near.x, top: near.y, width: near.width, height: near.height }}
      onClick={(event) => {
        const box = event.currentTarget.getBoundingClientRect()
        const x = near.x + ((event.clientX - box.left) / box.width) * near.width
        const y = near.y + ((event.clientY - box.top) / box.height) * near.height
        const id = cardAt(scene, x, y)
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

function paint(element: HTMLCanvasElement, scene: Scene, near: Rect, scale: number, path: ReadonlySet<string> | null, diff: Difference | null): void {
  const context = element.getContext('2d')!
  const style = getComputedStyle(element)
  const colours = new Map<string, string>()
  const colour = (name: string) => {
    const known = colours.get(name) ?? style.getPropertyValue(name)
    colours.set(name, known)
    return known
  }
  context.setTransform(scale, 0, 0, scale, -near.x * scale, -near.y * scale)
  context.lineWidth = 2.5
  context.strokeStyle = colour('--edge')
  context.globalAlpha = path ? 0.25 : 1
  const lines = new Path2D()
  for (const edge of scene.edges) if (overlaps(edge.box, near)) lines.addPath(new Path2D(edge.path))
  context.stroke(lines)
  context.font = `600 24px ${style.fontFamily}`
  context.textBaseline = 'middle'
  const legible = scale * 24 > 4
  for (const card of scene.cards.values()) {
    const place = scene.places.get(card.id)
    if (!place || !overlaps({ ...place, width: card.width, height: card.height }, near)) continue
    const state = card.group?.failed ? 'failed' : (card.node?.state ?? 'none')
    const mark = diff?.nodes.get(card.id)
    const tone = mark ? MARKS[mark] : STATES[state]
    context.globalAlpha = path && !path.has(card.id) ? 0.25 : 1
    context.fillStyle = colour(state === 'failed' ? '--fail' : '--surface')
    context.fillRect(place.x, place.y, card.width, card.height)
    context.strokeStyle = colour(mark ? MARKS[mark] : '--edge')
    context.lineWidth = 2
    context.strokeRect(place.x, place.y, card.width, card.height)
    if (tone) {
      context.fillStyle = colour(tone)
      context.fillRect(place.x, place.y, card.kind === 'job' ? 14 : 6, card.height)
    }
    if (!legible) continue
    context.fillStyle = colour(state === 'failed' ? '--surface' : '--text')
    context.fillText(middle(card.group?.namespace ?? card.node!.name, 14), place.x + 22, place.y + card.height / 2, card.width - 28)
  }
  context.globalAlpha = 1
}
