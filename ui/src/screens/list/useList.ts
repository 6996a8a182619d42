/** A long list, page by page, kept fresh while only its beginning is on screen. */
import { keepPreviousData, useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { get, type Params } from '../../api/client'
import { onChange } from '../../api/live'

const REFRESH_MS = 1_500
// Asking for every page again after each event would load the server for rows that nobody looks at.
const FRESH_PAGES = 2

interface Page {
  cursor: string | null
}

export interface List<A, T> {
  first: A | undefined
  rows: T[]
  pending: boolean
  error: unknown
  /** More has happened than is shown; `refresh` shows it. */
  behind: boolean
  more: boolean
  loadMore: () => void
  refresh: () => void
}

export function useList<A extends Page, T>(path: string, params: Params, rowsOf: (answer: A) => T[], live = true): List<A, T> {
  const queries = useQueryClient()
  const [behind, setBehind] = useState(false)
  const key = useMemo(() => ['list', path, params] as const, [path, JSON.stringify(params)])
  const query = useInfiniteQuery({
    queryKey: key,
    queryFn: ({ pageParam, signal }) => get<A>(path, { ...params, cursor: pageParam }, signal),
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.cursor,
    placeholderData: keepPreviousData,
  })
  const pages = query.data?.pages
  const loaded = pages?.length ?? 0

  useEffect(() => {
    if (!live) return
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onChange(() => {
      timer ??= setTimeout(() => {
        timer = undefined
        if (loaded <= FRESH_PAGES) void queries.invalidateQueries({ queryKey: key }, { cancelRefetch: false })
        else setBehind(true)
      }, REFRESH_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [queries, key, loaded, live])

  const { fetchNextPage, hasNextPage, isFetchingNextPage } = query
  const loadMore = useCallback(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, hasNextPage, isFetchingNextPage])
  const refresh = useCallback(() => {
    setBehind(false)
    void queries.resetQueries({ queryKey: key })
  }, [queries, key])

  return {
    first: pages?.[0],
    rows: useMemo(() => (pages ?? []).flatMap(rowsOf), [pages]),
    pending: query.isPending,
    error: query.error,
    behind,
    more: hasNextPage,
    loadMore,
    refresh,
  }
}
