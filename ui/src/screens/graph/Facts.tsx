import type { Fact } from '../../graph/evidence'

/** What is known of an edge or of how a column is made. */
export function Facts({ facts, most = Infinity }: { facts: readonly Fact[]; most?: number }) {
  return (
    <>
      <span className="edge-facts">
        {facts.slice(0, most).map(({ what, said }) => (
          <span key={what}>
            <strong>{what}</strong> <span className="muted">{said}</span>
          </span>
        ))}
      </span>
      {facts.length > most && <span className="muted">and {facts.length - most} more</span>}
    </>
  )
}
