import type { Schema } from '../../api/types'
import { Empty } from '../../design/states'
import { When } from '../../design/When'
import { NodeName } from '../list/NodeName'
import type { Kind } from './kinds'

/** Findings about the graph, of one kind: which nodes, and what to do. */
export function FindingList({ kind, findings }: { kind: Kind; findings: Schema<'Finding'>[] }) {
  if (findings.length === 0) {
    return (
      <div className="scroll main">
        <Empty title={`${kind.title}: none`}>{kind.about}</Empty>
      </div>
    )
  }
  return (
    <div className="scroll main">
      <p className="muted findings-about">{kind.about}</p>
      <ul className="findings">
        {findings.map((finding) => (
          <li key={finding.nodes.join(' ')}>
            <div className="stack">
              {finding.nodes.map((id) => (
                <NodeName key={id} id={id} />
              ))}
            </div>
            <p>{finding.message}</p>
            {finding.since && (
              <p className="muted small">
                last heard of <When at={finding.since} />
              </p>
            )}
          </li>
        ))}
      </ul>
    </div>
  )
}
