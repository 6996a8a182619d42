import { useEffect, useRef, useState } from 'react'
import type { Deck } from '../../graph/cards'
import { layout, type Layout, type Point } from '../../graph/layout'
import { boxesOf, linksOf } from '../../graph/scene'
import type { Job } from './layout.worker'

// Below this a layout takes a few milliseconds, less than a frame.
const SMALL = 300
let worker: Worker | null = null
let jobs = 0

export interface Laid {
  deck: Deck
  layout: Layout
}

/** The deck and its layout, which follows a little later when it is large; until then, what was there stays. */
export function useLayout(deck: Deck | null): Laid | null {
  const [laid, setLaid] = useState<Laid | null>(null)
  const shape = useRef('')
  const last = useRef<Layout | null>(null)

  useEffect(() => {
    if (!deck) return
    const boxes = boxesOf(deck)
    const links = linksOf(deck)
    const next = boxes.map((box) => `${box.id}\t${box.height}`).join('\n') + '\r' + links.map((link) => `${link.from}\t${link.to}`).join('\n')
    const keep = (layout: Layout) => {
      shape.current = next
      last.current = layout
      setLaid({ deck, layout })
    }
    if (next === shape.current && last.current) {
      setLaid({ deck, layout: last.current })
      return
    }
    const placed: Map<string, Point> = last.current?.places ?? new Map()
    if (boxes.length + links.length <= SMALL) {
      keep(layout(boxes, links, placed))
      return
    }
    worker ??= new Worker(new URL('./layout.worker.ts', import.meta.url), { type: 'module' })
    const job: Job = { id: ++jobs, boxes, links, placed }
    const done = ({ data }: MessageEvent<{ id: number; layout: Layout }>) => {
      if (data.id === job.id) keep(data.layout)
    }
    worker.addEventListener('message', done)
    worker.postMessage(job)
    return () => worker?.removeEventListener('message', done)
  }, [deck])
  return laid
}
