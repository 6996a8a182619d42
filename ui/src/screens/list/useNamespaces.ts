import { useQuery } from '@tanstack/react-query'
import { get } from '../../api/client'
import type { Option } from './filters'

interface Namespaces {
  namespaces: { name: string; isHidden: boolean }[]
}

/** Every namespace, to choose from. */
export function useNamespaces(): Option[] {
  const query = useQuery({
    queryKey: ['namespaces'],
    queryFn: ({ signal }) => get<Namespaces>('/api/v1/namespaces', { limit: 1000 }, signal),
    staleTime: 60_000,
  })
  return (query.data?.namespaces ?? []).filter((one) => !one.isHidden).map(({ name }) => ({ value: name, label: name }))
}
