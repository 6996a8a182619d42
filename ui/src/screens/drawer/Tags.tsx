import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { path, send } from '../../api/client'
import { useDescribed } from './Description'

/** Tags that people put on a node: shown, added and taken off. */
export function Tags({ kind, namespace, name }: { kind: 'job' | 'dataset'; namespace: string; name: string }) {
  const queries = useQueryClient()
  const { data } = useDescribed(kind, namespace, name)
  const [text, setText] = useState('')
  const change = useMutation({
    mutationFn: ({ tag, method }: { tag: string; method: 'POST' | 'DELETE' }) =>
      send(method, kind === 'job' ? path`/api/v1/namespaces/${namespace}/jobs/${name}/tags/${tag}` : path`/api/v1/namespaces/${namespace}/datasets/${name}/tags/${tag}`),
    // No event tells of it, and the cards show tags too.
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const tags = data?.tags ?? []
  return (
    <section>
      <h2>Tags</h2>
      <div className="row wrap">
        {tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
            <button type="button" className="link" aria-label={`Remove the tag ${tag}`} onClick={() => change.mutate({ tag, method: 'DELETE' })}>
              ✕
            </button>
          </span>
        ))}
        <form
          onSubmit={(event) => {
            event.preventDefault()
            const tag = text.trim()
            if (!tag) return
            change.mutate({ tag, method: 'POST' })
            setText('')
          }}
        >
          <input className="field" aria-label="Add a tag" placeholder="Add a tag" value={text} onChange={(event) => setText(event.target.value)} />
        </form>
      </div>
      {change.error && <p role="alert">{change.error.message}</p>}
    </section>
  )
}
