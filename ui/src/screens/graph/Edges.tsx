import { memo } from 'react'
import type { Card } from '../../graph/cards'
import type { Difference } from '../../graph/difference'
import { edgeLabel } from '../../graph/figures'
import type { DrawnEdge, Strand } from '../../graph/scene'
import type { Detail } from './useCamera'

export type Hovered = { kind: 'edge'; edge: DrawnEdge } | { kind: 'strand'; strand: Strand }

interface Props {
  edges: DrawnEdge[]
  strands: Strand[]
  cards: ReadonlyMap<string, Card>
  /** Cards on a lit path; null when nothing is lit. */
  path: ReadonlySet<string> | null
  selected: string | null
  /** An edge that is read of elsewhere. */
  pointed: string | null
  diff: Difference | null
  detail: Detail
  hover: (what: Hovered | null, event?: React.PointerEvent) => void
}

// Moving dots are paint on every frame; with more edges than this they would be the page's main work.
const MOST_DRAWN = 250
const MANY = 400

/** All edges in one picture: plain ones below, lit ones and what flows above. */
export const Edges = memo(function Edges({ edges, strands, cards, path, selected, pointed, diff, detail, hover }: Props) {
  const far = detail === 'far'
  // One path for all of them is drawn many times faster than a path for each.
  const asOne = far || edges.length > MANY
  const isColumnPath = strands.length > 0
  const lit = (edge: DrawnEdge) => !isColumnPath && path !== null && path.has(edge.edge.from) && path.has(edge.edge.to)
  const touches = (edge: DrawnEdge) => edge.key === pointed || (!isColumnPath && path === null && (edge.edge.from === selected || edge.edge.to === selected))
  // A lit path is read on its own: figures would lie across it.
  const labels = asOne || isColumnPath ? [] : edges.flatMap((edge) => ({ edge, label: edgeLabel(edge.edge, cards) }))
  const moving = labels.length <= MOST_DRAWN ? labels.filter(({ label }) => label && label.rate && label.rate !== '0/s') : []
  return (
    <svg className="edges" aria-hidden="true" data-many={edges.length > MANY || undefined}>
      <defs>
        <marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto-start-reverse">
          <path d="M1 1l6 3-6 3z" className="tip" />
        </marker>
      </defs>
      {asOne ? (
        <path className="edge" data-kind={edges.some(({ edge }) => edge.kind === 'group') ? 'group' : undefined} data-dim={path !== null || isColumnPath || undefined} d={edges.filter((edge) => !lit(edge)).map((edge) => edge.path).join('')} />
      ) : (
        edges.map((edge) => (
          <path
            key={edge.key}
            className="edge"
            d={edge.path}
            data-kind={edge.edge.kind}
            data-dim={(isColumnPath || (path !== null && !lit(edge))) || undefined}
            data-lit={lit(edge) || undefined}
            data-touch={touches(edge) || undefined}
            data-pointed={edge.key === pointed || undefined}
            data-mark={diff?.edges.get(edge.key)}
            markerEnd="url(#tip)"
          />
        ))
      )}
      {asOne &&
        edges
          .filter((edge) => lit(edge) || touches(edge))
          .map((edge) => <path key={edge.key} className="edge" data-lit={lit(edge) || undefined} data-touch={touches(edge) || undefined} data-pointed={edge.key === pointed || undefined} d={edge.path} />)}
      {moving.map(({ edge }) => (
        <path key={edge.key} className="moving" d={edge.path} style={{ animationDuration: `${pace(edge, cards)}s` }} />
      ))}
      {!asOne &&
        edges.map((edge) => (
          <path key={edge.key} className="hit" d={edge.path} onPointerEnter={(e) => hover({ kind: 'edge', edge }, e)} onPointerLeave={() => hover(null)} />
        ))}
      {strands.map((strand) => (
        <g key={strand.key}>
          <path className="strand" d={strand.path} data-direct={strand.direct} data-pointed={strand.key === pointed || undefined} markerEnd={far ? undefined : 'url(#tip)'} />
          <path className="hit" d={strand.path} onPointerEnter={(e) => hover({ kind: 'strand', strand }, e)} onPointerLeave={() => hover(null)} />
        </g>
      ))}
      {labels.map(
        ({ edge, label }) =>
          label && (
            <g key={edge.key} className="flow" textAnchor="middle">
              <text x={edge.middle.x} y={edge.middle.y - 7}>
                {label.rate}
              </text>
              <text x={edge.middle.x} y={edge.middle.y + 16}>
                {label.behind}
              </text>
            </g>
          ),
      )}
    </svg>
  )
})

/** Seconds for a dot to go one step: quicker for higher rates, by orders of magnitude. */
function pace(edge: DrawnEdge, cards: ReadonlyMap<string, Card>): number {
  const job = cards.get(edge.edge.from.startsWith('job:') ? edge.edge.from : edge.edge.to)?.node
  const rate = job?.figures?.rowsPerSecond ?? 1
  return Math.max(0.5, 3 - Math.log10(Math.max(1, rate)) * 0.5)
}
