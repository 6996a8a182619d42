/** Links to a node of the graph. */
import type { Changes } from './url'

/** Parameters that open the graph around a node, with its drawer. */
export function toNode(id: string, drawer = 'about'): Changes {
  return { node: id, sel: id, drawer }
}

export interface NodeName {
  kind: string
  namespace: string
  name: string
}

/** The parts of a node id as the native API writes it: colons within a name are encoded. */
export function parseNodeId(id: string): NodeName {
  const kind = id.slice(0, id.indexOf(':'))
  const rest = id.slice(kind.length + 1)
  const cut = rest.lastIndexOf(':')
  return { kind, namespace: decoded(rest.slice(0, Math.max(0, cut))), name: decoded(rest.slice(cut + 1)) }
}

function decoded(text: string): string {
  return text.replaceAll('%3A', ':').replaceAll('%25', '%')
}
