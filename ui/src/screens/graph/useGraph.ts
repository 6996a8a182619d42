import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { startTransition, useEffect, useMemo, useRef, useState } from 'react'
import { getUnread, type Params } from '../../api/client'
import type { Drawing } from '../../graph/drawing'
import { DEFAULT_LIMIT, type Shown, type View } from '../../graph/view'
import { ask, hear } from './desk'
import type { Unread } from './desk.worker'

const FAR = 100
// Beyond this, asking again after every event would be most of what the server does.
const LIVE_LIMIT = 2_000
const NOTHING: string[] = []

export interface Drawn extends Drawing {
  /** Which part of the graph was asked for: another one is looked at anew. */
  about: string
}

export interface Answered {
  drawn: Drawn | null
  error: unknown
  diffError: unknown
  retry: () => void
}

/** What the server says for a view, drawn: the graph, the path of the chosen column, and what changed. */
export function useGraph(view: View): Answered {
  const [drawn, setDrawn] = useState<Drawn | null>(null)
  const [broken, setBroken] = useState<Error | null>(null)
  const { node, at, since, limit } = view
  const freshness = at === null && limit <= LIVE_LIMIT ? 'live' : 'still'
  const asking = (what: string, path: string, params: Params, enabled: boolean) => ({
    queryKey: [freshness, what, params],
    queryFn: ({ signal }: { signal: AbortSignal }) => getUnread(path, params, signal),
    enabled,
    placeholderData: keepPreviousData<Blob>,
  })

  const around = node === null ? {} : { node, direction: view.direction, depth: view.depth }
  const base = useQuery(asking('graph', '/api/v2/graph', { ...around, at, limit, columns: limit <= DEFAULT_LIMIT }, true))
  const wantsPath = view.selected !== null && view.column !== null
  const path = useQuery(asking('path', '/api/v2/graph', { node: view.selected, column: view.column, columns: true, depth: FAR, limit: LIVE_LIMIT, at }, wantsPath))
  const changes = useQuery(asking('diff', '/api/v2/graph/diff', { ...around, from: since, to: at, columns: true }, since !== null))
  const missing = drawn?.missing ?? NOTHING
  const opened = useQuery({
    queryKey: ['still', 'columns', missing, at],
    queryFn: ({ signal }) => Promise.all(missing.map((id) => getUnread('/api/v2/graph', { node: id, depth: 0, columns: true, at }, signal))),
    enabled: missing.length > 0,
    placeholderData: keepPreviousData,
  })

  const graphData = base.data
  const pathData = wantsPath ? path.data : undefined
  const changesData = since === null ? undefined : changes.data
  const openedData = missing.length > 0 ? opened.data : undefined
  const unread = useMemo<Unread | null>(
    () => (graphData ? { graph: graphData, opened: openedData ?? [], path: pathData ?? null, changes: changesData ?? null } : null),
    [graphData, openedData, pathData, changesData],
  )
  const { selected, open, group, folded, unfolded, hide } = view
  const shown = JSON.stringify({ node, selected, open, group, folded, unfolded, hide } satisfies Shown)
  const asked = useRef('')
  if (!base.isPlaceholderData) asked.current = `${node}|${limit}|${view.direction}|${view.depth}`
  const about = `${asked.current}|${group}`

  useEffect(() => {
    ask({ kind: 'start' })
    return hear((told) => {
      if (told.kind === 'failed') setBroken(new Error(told.message))
      if (told.kind !== 'drawn') return
      // Of many cards, so that they are made in slices.
      startTransition(() => {
        setBroken(null)
        setDrawn((before) => {
          const layout = told.layout ?? before?.layout
          return layout ? { ...told.drawing, about: told.about, layout } : before
        })
      })
    })
  }, [])
  useEffect(() => {
    if (unread) ask({ kind: 'draw', unread, view: JSON.parse(shown) as Shown, about })
  }, [unread, shown, about])

  return {
    drawn,
    error: base.error ?? broken,
    diffError: since === null ? null : changes.error,
    retry: () => void base.refetch(),
  }
}
