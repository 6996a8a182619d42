import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { get, type Params } from '../../api/client'

// Counting a hundred thousand rows takes longer than a page of them, so it is not done after every event.
const REFRESH_MS = 15_000

/** How many rows a list has in all; undefined until that is known. */
export function useTotal(path: string, filters: Params): number | undefined {
  const { data } = useQuery({
    queryKey: ['total', path, filters],
    queryFn: ({ signal }) => get<{ total: number | null }>(path, { ...filters, total: true, limit: 1 }, signal),
    placeholderData: keepPreviousData,
    refetchInterval: REFRESH_MS,
  })
  return data?.total ?? undefined
}
