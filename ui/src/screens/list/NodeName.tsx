import type { ReactNode } from 'react'
import { middle } from '../../design/format'
import { Link } from '../../shell/Link'
import { parseNodeId, toNode } from '../../shell/to-node'

/** A job or dataset by name, its namespace quietly under it; leads to its place in the graph. */
export function NodeName({ id, mark, note }: { id: string; mark?: ReactNode; note?: ReactNode }) {
  const { namespace, name } = parseNodeId(id)
  return (
    <div className="node-name">
      {mark}
      <div className="grow">
        <Link place="" params={toNode(id)} className="cut" title={name}>
          {middle(name, 90) || '(no name)'}
        </Link>
        <div className="cut muted small" title={namespace}>
          {note ?? namespace}
        </div>
      </div>
    </div>
  )
}
