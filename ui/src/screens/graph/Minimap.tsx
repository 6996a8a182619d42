import { useEffect, useRef } from 'react'
import { seen } from '../../graph/camera'
import type { Scene } from '../../graph/scene'
import { useTheme } from '../../shell/theme'
import type { Eye } from './useCamera'

const WIDTH = 168
const HEIGHT = 104
const COLOURS: Record<string, string> = { failed: '--fail', lost: '--lost', running: '--running', aborted: '--warn' }

/** The whole graph in a corner; what is on screen is framed, and a click goes there. */
export function Minimap({ scene, eye }: { scene: Scene; eye: Eye }) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const { bounds } = scene
  const theme = useTheme()
  const scale = Math.min((WIDTH - 8) / Math.max(1, bounds.width), (HEIGHT - 8) / Math.max(1, bounds.height), 0.12)
  const left = (WIDTH - bounds.width * scale) / 2
  const top = (HEIGHT - bounds.height * scale) / 2

  useEffect(() => {
    const element = canvas.current!
    const ratio = window.devicePixelRatio || 1
    element.width = WIDTH * ratio
    element.height = HEIGHT * ratio
    const context = element.getContext('2d')!
    const colour = (name: string) => getComputedStyle(element).getPropertyValue(name)
    // The cards are painted once; only the frame moves with the camera.
    let cards: OffscreenCanvas | null = null
    let frame = 0
    const draw = () => {
      frame = 0
      cards ??= painted()
      context.setTransform(1, 0, 0, 1, 0, 0)
      context.clearRect(0, 0, element.width, element.height)
      context.drawImage(cards, 0, 0)
      context.setTransform(ratio, 0, 0, ratio, 0, 0)
      const view = seen(eye.current(), eye.size())
      // With everything on screen there is nothing to find.
      element.hidden = view.x <= bounds.x && view.y <= bounds.y && view.x + view.width >= bounds.x + bounds.width && view.y + view.height >= bounds.y + bounds.height
      context.strokeStyle = colour('--accent')
      context.lineWidth = 1.5
      context.strokeRect(left + (view.x - bounds.x) * scale, top + (view.y - bounds.y) * scale, view.width * scale, view.height * scale)
    }
    function painted(): OffscreenCanvas {
      const canvas = new OffscreenCanvas(element.width, element.height)
      const base = canvas.getContext('2d')!
      const known = new Map([...Object.values(COLOURS), '--edge'].map((name) => [name, colour(name)]))
      base.setTransform(ratio, 0, 0, ratio, 0, 0)
      for (const card of scene.cards.values()) {
        const place = scene.places.get(card.id)
        if (!place) continue
        const name = COLOURS[card.node?.state ?? (card.group?.failed ? 'failed' : '')] ?? '--edge'
        base.fillStyle = known.get(name)!
        base.fillRect(left + (place.x - bounds.x) * scale, top + (place.y - bounds.y) * scale, Math.max(2, card.width * scale), Math.max(1.5, card.height * scale))
      }
      return canvas
    }
    const soon = () => {
      frame ||= requestAnimationFrame(draw)
    }
    soon()
    const stop = eye.onMove(soon)
    return () => {
      stop()
      cancelAnimationFrame(frame)
    }
  }, [scene, theme, eye.onMove, eye.current, eye.size, bounds, left, top, scale])

  const jump = (event: React.PointerEvent<HTMLCanvasElement>) => {
    if (event.buttons !== 1) return
    const box = event.currentTarget.getBoundingClientRect()
    const camera = eye.current()
    const size = eye.size()
    const x = bounds.x + (event.clientX - box.left - left) / scale
    const y = bounds.y + (event.clientY - box.top - top) / scale
    eye.set({ ...camera, x: x - size.width / 2 / camera.zoom, y: y - size.height / 2 / camera.zoom })
  }
  return <canvas ref={canvas} className="minimap" style={{ width: WIDTH, height: HEIGHT }} onPointerDown={jump} onPointerMove={jump} aria-hidden="true" />
}
