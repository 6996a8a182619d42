import { edgeFacts, strandFacts } from '../../graph/evidence'
import type { Hovered } from './Edges'
import { Facts } from './Facts'

const MOST = 8

/** How an edge is known, or how a column is made, beside the pointer. */
export function Tip({ hovered, x, y }: { hovered: Hovered; x: number; y: number }) {
  return (
    <div className="tip-box" role="tooltip" style={{ left: x + 12, top: y + 12 }}>
      <Facts facts={hovered.kind === 'edge' ? edgeFacts(hovered.edge.edge, Date.now()) : strandFacts(hovered.strand)} most={MOST} />
    </div>
  )
}
