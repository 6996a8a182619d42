import { Json } from '../../design/Code'

/** Facets one by one: what is simple in words, the rest as it was sent. */
export function FacetList({ facets }: { facets: unknown }) {
  const entries = Object.entries((facets ?? {}) as Record<string, unknown>).sort(([a], [b]) => a.localeCompare(b))
  if (entries.length === 0) return <p className="muted">No event carried facets for this.</p>
  return (
    <div className="stack">
      {entries.map(([name, value]) => (
        <details key={name} open={entries.length <= 3} className="entry">
          <summary>{name}</summary>
          <Readable value={value} />
          <details>
            <summary className="muted">Raw</summary>
            <Json value={value} label={`facet ${name}`} />
          </details>
        </details>
      ))}
    </div>
  )
}

function Readable({ value }: { value: unknown }) {
  if (typeof value !== 'object' || value === null) return <p>{String(value)}</p>
  const simple = Object.entries(value).filter(([name, one]) => !name.startsWith('_') && (typeof one !== 'object' || one === null))
  if (simple.length === 0) return null
  return (
    <dl className="facts">
      {simple.map(([name, one]) => (
        <div key={name} style={{ display: 'contents' }}>
          <dt>{name}</dt>
          <dd>{String(one)}</dd>
        </div>
      ))}
    </dl>
  )
}
