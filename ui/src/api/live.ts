/** What happens on the server, as it happens: one stream for the whole page. */
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useSyncExternalStore } from 'react'
import { address } from './client'
import type { Change } from './types'

export type Connection = 'connecting' | 'live' | 'lost'
export interface Happening extends Change {
  id: string
}

const REFRESH_MS = 1_500
const listeners = new Set<(change: Happening) => void>()
const watchers = new Set<() => void>()
let connection: Connection = 'connecting'
let source: EventSource | null = null
let retry: ReturnType<typeof setTimeout> | undefined
let last = ''

function become(next: Connection): void {
  if (connection === next) return
  connection = next
  for (const watcher of watchers) watcher()
}

function open(): void {
  // A browser gives up on some errors, so the stream is opened anew, from the last event seen.
  source = new EventSource(address('/api/v2/changes', last ? { since: last } : {}))
  source.onopen = () => become('live')
  source.onerror = () => {
    become('lost')
    if (source?.readyState === EventSource.CLOSED) {
      clearTimeout(retry)
      retry = setTimeout(open, 2_000)
    }
  }
  for (const name of ['run', 'job', 'dataset']) source.addEventListener(name, heard)
}

function heard(event: MessageEvent<string>): void {
  last = event.lastEventId
  const change: Happening = { ...(JSON.parse(event.data) as Change), id: event.lastEventId }
  for (const listener of listeners) listener(change)
}

/** Hear of every stored event; returns how to stop. */
export function onChange(listener: (change: Happening) => void): () => void {
  listeners.add(listener)
  if (!source) open()
  return () => listeners.delete(listener)
}

export function useConnection(): Connection {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => connection,
  )
}

/** Keeps every query whose key begins with 'live' fresh: asked again after events, at most every second or so. */
export function useLiveQueries(): void {
  const queries = useQueryClient()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = () => {
      timer = undefined
      void queries.invalidateQueries({ queryKey: ['live'] }, { cancelRefetch: false })
    }
    const soon = () => {
      timer ??= setTimeout(refresh, REFRESH_MS)
    }
    const stop = onChange(soon)
    let before = connection
    const watcher = () => {
      if (before === 'lost' && connection === 'live') soon()
      before = connection
    }
    watchers.add(watcher)
    return () => {
      stop()
      watchers.delete(watcher)
      clearTimeout(timer)
    }
  }, [queries])
}
