import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { get, path, send } from '../../api/client'

export interface Described {
  description?: string | null
  tags?: string[]
}

/** What Marquez's API says of a node: that is where descriptions and tags are. */
export function useDescribed(kind: 'job' | 'dataset', namespace: string, name: string) {
  return useQuery({
    queryKey: ['live', 'described', kind, namespace, name],
    queryFn: ({ signal }) =>
      get<Described>(kind === 'job' ? path`/api/v1/namespaces/${namespace}/jobs/${name}` : path`/api/v1/namespaces/${namespace}/datasets/${name}`, {}, signal),
  })
}

/** A description that can be edited; what is written is sent as an event, so it is part of the history. */
export function Description({ kind, namespace, name }: { kind: 'job' | 'dataset'; namespace: string; name: string }) {
  const queries = useQueryClient()
  const { data } = useDescribed(kind, namespace, name)
  const [draft, setDraft] = useState<string | null>(null)
  const save = useMutation({
    mutationFn: (description: string) => send('POST', '/api/v1/lineage', descriptionEvent(kind, namespace, name, description, new Date())),
    onSuccess: async () => {
      await queries.invalidateQueries({ queryKey: ['live'] })
      setDraft(null)
    },
  })
  if (draft === null) {
    return (
      <div className="row described">
        <p className={`grow ${data?.description ? '' : 'muted'}`}>{data?.description || 'No description yet.'}</p>
        <button type="button" className="button quiet" onClick={() => setDraft(data?.description ?? '')}>
          Edit<span className="visually-hidden"> the description</span>
        </button>
      </div>
    )
  }
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        save.mutate(draft)
      }}
    >
      <textarea className="field description" aria-label="Description" rows={3} autoFocus value={draft} onChange={(event) => setDraft(event.target.value)} />
      <div className="row">
        <button type="submit" className="button primary" disabled={save.isPending}>
          Save
        </button>
        <button type="button" className="button" onClick={() => setDraft(null)}>
          Cancel
        </button>
        {save.error && <span role="alert">{save.error.message}</span>}
      </div>
    </form>
  )
}

const PRODUCER = 'https://github.com/headwater-lineage/headwater/tree/main/ui'

function descriptionEvent(kind: 'job' | 'dataset', namespace: string, name: string, description: string, now: Date) {
  const schema = (type: string) => `https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/${type}`
  const documentation = { _producer: PRODUCER, _schemaURL: 'https://openlineage.io/spec/facets/1-0-1/DocumentationDatasetFacet.json', description }
  const event = { eventTime: now.toISOString(), producer: PRODUCER, schemaURL: schema(kind === 'job' ? 'JobEvent' : 'DatasetEvent') }
  return { ...event, [kind]: { namespace, name, facets: { documentation } } }
}
