/** Many cards from far away as one picture. */
import { middle } from '../../design/format'
import type { Difference, Mark } from '../../graph/difference'
import { overlaps, type Rect, type Scene } from '../../graph/scene'

const STATES: Record<string, string> = { failed: '--fail', lost: '--lost', running: '--running', aborted: '--warn', complete: '--ok' }
const MARKS: Record<Mark, string> = { added: '--ok', removed: '--fail', changed: '--warn' }
/** The tokens that a picture is painted in. */
export const TOKENS = ['--fail', '--lost', '--running', '--warn', '--ok', '--edge', '--surface', '--text'] as const

export interface Picture {
  near: Rect
  scale: number
  colours: Record<string, string>
  font: string
  /** Cards on a lit path; null when nothing is lit. */
  path: ReadonlySet<string> | null
}

export function paint(scene: Scene, diff: Difference | null, { near, scale, colours, font, path }: Picture): ImageBitmap {
  const canvas = new OffscreenCanvas(Math.ceil(near.width * scale), Math.ceil(near.height * scale))
  const context = canvas.getContext('2d')!
  const colour = (name: string) => colours[name] ?? ''
  context.setTransform(scale, 0, 0, scale, -near.x * scale, -near.y * scale)
  context.lineWidth = 2.5
  context.strokeStyle = colour('--edge')
  context.globalAlpha = path ? 0.25 : 1
  const lines = new Path2D()
  for (const edge of scene.edges) if (overlaps(edge.box, near)) lines.addPath(new Path2D(edge.path))
  context.stroke(lines)
  context.font = `600 24px ${font}`
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
  return canvas.transferToImageBitmap()
}
