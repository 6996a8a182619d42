/** Where answers become drawings, and large drawings pictures: away from the page, so that none ever holds it up. */
import { drawing, type Answers, type Drawing } from '../../graph/drawing'
import type { Layout } from '../../graph/layout'
import { scene, type Scene } from '../../graph/scene'
import type { Shown } from '../../graph/view'
import { paint, type Picture } from './paint'

/** Answers as the server sent them: not yet read. */
export interface Unread {
  graph: Blob
  opened: readonly Blob[]
  path: Blob | null
  changes: Blob | null
}

export type Ask = { kind: 'start' } | { kind: 'draw'; unread: Unread; view: Shown; about: string } | { kind: 'paint'; picture: Picture }

export type Told =
  // A layout of null is the one told before, so that what did not move need not be compared.
  | { kind: 'drawn'; drawing: Omit<Drawing, 'layout'>; layout: Layout | null; about: string }
  | { kind: 'painted'; image: ImageBitmap; picture: Picture }
  | { kind: 'failed'; message: string }

const read = new Map<string, { text: string; content: unknown }>()
const newest: Partial<Record<Ask['kind'], Ask>> = {}
let last: { drawing: Drawing; view: string; scene: Scene | null } | null = null
let turn: Promise<void> = Promise.resolve()

self.onmessage = ({ data: ask }: MessageEvent<Ask>) => {
  newest[ask.kind] = ask
  turn = turn.then(() => answer(ask)).catch((error: unknown) => tell({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }))
}

async function answer(ask: Ask): Promise<void> {
  if (ask.kind === 'start') last = null
  // Only the last of several that wait is still wanted.
  else if (newest[ask.kind] !== ask) return
  else if (ask.kind === 'draw') await draw(ask)
  else if (last) tell({ kind: 'painted', image: paint((last.scene ??= scene(last.drawing.deck, last.drawing.layout)), last.drawing.diff, ask.picture), picture: ask.picture })
}

async function draw({ unread, view, about }: Extract<Ask, { kind: 'draw' }>): Promise<void> {
  const news: boolean[] = []
  const content = async <T>(slot: string, blob: Blob): Promise<T> => {
    const text = await blob.text()
    const known = read.get(slot)
    news.push(known?.text !== text)
    if (known?.text === text) return known.content as T
    const content: unknown = JSON.parse(text)
    read.set(slot, { text, content })
    return content as T
  }
  const answers: Answers = {
    graph: await content('graph', unread.graph),
    opened: await Promise.all(unread.opened.map((blob, i) => content<Answers['graph']>(`opened ${i}`, blob))),
    path: unread.path && (await content('path', unread.path)),
    changes: unread.changes && (await content('changes', unread.changes)),
  }
  const wanted = JSON.stringify([{ ...view, selected: null }, unread.opened.length, unread.path !== null, unread.changes !== null])
  const isDrawn = view.selected === null || last?.drawing.deck.cards.has(view.selected)
  if (last?.view === wanted && isDrawn && !news.includes(true)) return
  const before = last?.drawing
  const { layout, ...rest } = drawing(answers, view, before)
  last = { drawing: { layout, ...rest }, view: wanted, scene: null }
  tell({ kind: 'drawn', drawing: rest, layout: layout === before?.layout ? null : layout, about })
}

function tell(told: Told): void {
  self.postMessage(told, { transfer: told.kind === 'painted' ? [told.image] : [] })
}
