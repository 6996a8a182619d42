import { ago, absolute } from '../../design/format'
import type { Transformation } from '../../graph/model'
import type { Hovered } from './Edges'

const HOW: Record<string, string> = {
  observed: 'observed in a run',
  declared: 'declared, not seen in a run yet',
  explicit: 'said by a lineage facet',
  columns: 'known from column lineage',
}

/** How an edge is known, or how a column is made, beside the pointer. */
export function Tip({ hovered, x, y }: { hovered: Hovered; x: number; y: number }) {
  return (
    <div className="tip-box" role="tooltip" style={{ left: x + 12, top: y + 12 }}>
      {hovered.kind === 'edge' ? <EdgeFacts hovered={hovered} /> : <StrandFacts hovered={hovered} />}
    </div>
  )
}

function EdgeFacts({ hovered }: { hovered: Extract<Hovered, { kind: 'edge' }> }) {
  const { edge } = hovered.edge
  const { first, count } = edge
  if (count > 1) return <p>{count} edges</p>
  return (
    <>
      <p>
        <strong>{first.kind === 'read' ? 'Reads' : first.kind === 'write' ? 'Writes' : 'Feeds'}</strong>, {HOW[first.how] ?? first.how}
      </p>
      {first.at && (
        <p className="muted">
          {absolute(first.at)} ({ago(first.at, Date.now())})
        </p>
      )}
      {first.producer && <p className="muted cut">by {first.producer}</p>}
    </>
  )
}

function StrandFacts({ hovered }: { hovered: Extract<Hovered, { kind: 'strand' }> }) {
  const lines = new Map<string, string>()
  for (const flow of hovered.strand.flows) {
    const said = flow.transformations.map(wording).join('; ') || (flow.direct ? 'direct' : 'indirect')
    lines.set(`${flow.from.column || 'all columns'} → ${flow.to.column || 'all columns'}`, said)
  }
  return (
    <dl>
      {[...lines].slice(0, 8).map(([what, said]) => (
        <div key={what}>
          <dt>{what}</dt>
          <dd className="muted">{said}</dd>
        </div>
      ))}
      {lines.size > 8 && <p className="muted">and {lines.size - 8} more</p>}
    </dl>
  )
}

function wording({ type, subtype, description, masking }: Transformation): string {
  return [type?.toLowerCase(), subtype?.toLowerCase().replaceAll('_', ' '), description, masking ? 'masked' : ''].filter(Boolean).join(' · ')
}
