import { useSyncExternalStore } from 'react'

const query = window.matchMedia('(max-width: 720px)')

function watch(watcher: () => void): () => void {
  query.addEventListener('change', watcher)
  return () => query.removeEventListener('change', watcher)
}

/** Whether the page is on a small screen. */
export function useNarrow(): boolean {
  return useSyncExternalStore(watch, () => query.matches)
}
