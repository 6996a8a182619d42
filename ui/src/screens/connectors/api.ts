import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { get, path, send } from '../../api/client'
import type { ConnectorDetail, Connectors, Validation } from './types'

// Connect tells nobody of a change, so it is asked, as the server itself asks it.
const EVERY_MS = 5_000

export type Action = 'pause' | 'resume' | 'stop' | 'restart' | 'restart failed tasks' | 'delete'

export function useConnectors() {
  return useQuery({
    queryKey: ['connectors'],
    queryFn: ({ signal }) => get<Connectors>('/api/v2/connectors', {}, signal),
    refetchInterval: EVERY_MS,
  })
}

export function useConnector(cluster: string, name: string) {
  return useQuery({
    queryKey: ['connectors', cluster, name],
    queryFn: ({ signal }) => get<ConnectorDetail>(path`/api/v2/connectors/${cluster}/${name}`, {}, signal),
    refetchInterval: EVERY_MS,
  })
}

/** What the worker says about settings, by key; nothing is changed. */
export function validate(cluster: string, name: string, config: Record<string, string>): Promise<Validation> {
  return send<Validation>('POST', path`/api/v2/connectors/${cluster}/validate`, { name, config })
}

/** Create a connector, or give one other settings. */
export function useSave() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (it: { cluster: string; name: string; config: Record<string, string> }) =>
      send('PUT', path`/api/v2/connectors/${it.cluster}/${it.name}`, it.config),
    onSettled: () => queries.invalidateQueries({ queryKey: ['connectors'] }),
  })
}

export function useAction() {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: ({ cluster, name, action }: { cluster: string; name: string; action: Action }) => {
      const base = path`/api/v2/connectors/${cluster}/${name}`
      // A body, if an empty one: the server takes changes only as JSON, which no form of another site can send.
      if (action === 'delete') return send('DELETE', base, {})
      if (action === 'restart' || action === 'restart failed tasks') return send('POST', `${base}/restart`, {}, { failed: action !== 'restart' })
      return send('PUT', `${base}/${action}`, {})
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['connectors'] }),
  })
}
