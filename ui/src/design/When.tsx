import { useSyncExternalStore } from 'react'
import { absolute, ago } from './format'

// One clock for every time on the page, so that they move together.
let now = Date.now()
const watchers = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const one of watchers) one()
  }, 5_000)
  return () => {
    watchers.delete(watcher)
    if (watchers.size === 0) {
      clearInterval(timer)
      timer = undefined
    }
  }
}

/** The time now, in milliseconds, renewed every few seconds. */
export function useNow(): number {
  return useSyncExternalStore(watch, () => now)
}

/** A time as told from now, with the absolute one on hover. */
export function When({ at }: { at: string | null | undefined }) {
  const moment = useNow()
  if (!at) return <span className="muted">–</span>
  return (
    <time dateTime={at} title={absolute(at)}>
      {ago(at, Math.max(moment, Date.now() - 5_000))}
    </time>
  )
}
