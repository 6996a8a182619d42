import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { get } from '../../api/client'
import type { Graph, GraphDiff } from '../../api/types'
import { difference, type Difference } from '../../graph/difference'
import { model, type Flow, type Model } from '../../graph/model'
import { DEFAULT_LIMIT, type View } from '../../graph/view'

const FAR = 100
// Beyond this, asking again after every event would be most of what the server does.
const LIVE_LIMIT = 2_000

export interface Answered {
  graph: Model | null
  answer: Graph | undefined
  lit: Flow[]
  diff: Difference | null
  error: unknown
  diffError: unknown
  isLoading: boolean
  retry: () => void
}

/** Everything the server says for a view: the graph, the path of the chosen column, and what changed. */
export function useGraph(view: View): Answered {
  const { node, at, since, limit } = view
  const freshness = at === null && limit <= LIVE_LIMIT ? 'live' : 'still'
  const around = node === null ? {} : { node, direction: view.direction, depth: view.depth }
  const params = { ...around, at, limit, columns: limit <= DEFAULT_LIMIT }
  const base = useQuery({
    queryKey: [freshness, 'graph', params],
    queryFn: ({ signal }) => get<Graph>('/api/v2/graph', params, signal),
    placeholderData: keepPreviousData,
  })

  const wantsPath = view.selected !== null && view.column !== null
  const pathParams = { node: view.selected, column: view.column, columns: true, depth: FAR, limit: LIVE_LIMIT, at }
  const path = useQuery({
    queryKey: [freshness, 'path', pathParams],
    queryFn: ({ signal }) => get<Graph>('/api/v2/graph', pathParams, signal),
    enabled: wantsPath,
    placeholderData: keepPreviousData,
  })

  // Columns of datasets that were opened in a graph too large to bring all of them.
  const missing = useMemo(() => {
    const known = new Map((base.data?.nodes ?? []).map((one) => [one.id, one]))
    return view.open.filter((id) => known.has(id) && known.get(id)!.columns === undefined)
  }, [base.data, view.open])
  const opened = useQuery({
    queryKey: ['still', 'columns', missing, at],
    queryFn: ({ signal }) => Promise.all(missing.map((id) => get<Graph>('/api/v2/graph', { node: id, depth: 0, columns: true, at }, signal))),
    enabled: missing.length > 0,
    placeholderData: keepPreviousData,
  })

  const diffParams = { ...around, from: since, to: at, columns: true }
  const changes = useQuery({
    queryKey: [freshness, 'diff', diffParams],
    queryFn: ({ signal }) => get<GraphDiff>('/api/v2/graph/diff', diffParams, signal),
    enabled: since !== null,
    placeholderData: keepPreviousData,
  })

  const diffData = since === null ? undefined : changes.data
  const pathData = wantsPath ? path.data : undefined
  const openedData = missing.length > 0 ? opened.data : undefined
  const graph = useMemo(() => {
    if (!base.data) return null
    const answers: Graph[] = [base.data]
    if (openedData) answers.push(...openedData)
    if (pathData) answers.push(pathData)
    // What is gone is drawn too, where it was.
    if (diffData) answers.push({ ...base.data, ...diffData.removed })
    return model(...answers)
  }, [base.data, pathData, openedData, diffData])
  const lit = useMemo(() => (pathData ? model(pathData).flows : []), [pathData])
  const diff = useMemo(() => (diffData ? difference(diffData) : null), [diffData])
  return {
    graph,
    answer: base.data,
    lit,
    diff,
    error: base.error,
    diffError: since === null ? null : changes.error,
    isLoading: base.isLoading,
    retry: () => void base.refetch(),
  }
}
