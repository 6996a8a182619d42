/** What the server says of Kafka Connect; its routes are there only where clusters are watched. */

export interface Task {
  id: number
  state: string
  worker: string
  error?: string | null
}

export interface Cluster {
  name: string
  url: string
  state: 'ok' | 'unreachable' | 'refused'
  detail?: string
  version?: string
}

export interface Connector {
  cluster: string
  name: string
  class: string
  type: string
  state: string
  tasks: Task[]
  topics: string[]
  job: { namespace: string; name: string }
  runId: string | null
  recordsPerSecond: number | null
  lag: number | null
  error: string | null
  since: string | null
}

export interface ConnectorDetail extends Connector {
  config: Record<string, string>
  offsets: unknown[]
}

export interface Connectors {
  clusters: Cluster[]
  connectors: Connector[]
}

export interface Validation {
  errors: { key: string; messages: string[] }[]
}
