/** The worker that draws, one for the page; started with it, so that it is there when the first answer is. */
import type { Ask, Told } from './desk.worker'

const worker = new Worker(new URL('./desk.worker.ts', import.meta.url), { type: 'module' })

export function ask(what: Ask): void {
  worker.postMessage(what)
}

/** Hear what the worker tells; returns how to stop. */
export function hear(listener: (told: Told) => void): () => void {
  const told = ({ data }: MessageEvent<Told>) => listener(data)
  const broken = () => listener({ kind: 'failed', message: 'A part of this page could not be loaded; it may be of an older version. Load the page again.' })
  worker.addEventListener('message', told)
  worker.addEventListener('error', broken)
  return () => {
    worker.removeEventListener('message', told)
    worker.removeEventListener('error', broken)
  }
}
