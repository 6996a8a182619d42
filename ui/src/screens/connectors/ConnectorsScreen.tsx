import type { ColumnDef } from '@tanstack/react-table'
import { useMemo, useState } from 'react'
import { refusal } from '../../api/client'
import { Plain } from '../../design/Code'
import { EngineMark } from '../../design/EngineMark'
import { count, rate } from '../../design/format'
import { Empty, Failed, Loading } from '../../design/states'
import { When } from '../../design/When'
import { useParam } from '../../shell/url'
import { FilterBox } from '../list/filters'
import { ListTable } from '../list/ListTable'
import { useConnectors } from './api'
import { ConnectorForm } from './ConnectorForm'
import { ConnectorPanel } from './ConnectorPanel'
import { ConnectorState } from './ConnectorState'
import type { Connector } from './types'
import './connectors.css'

const COLUMNS: ColumnDef<Connector>[] = [
  { id: 'state', header: 'State', cell: ({ row }) => <ConnectorState state={row.original.state} />, meta: { width: '124px' } },
  { id: 'name', header: 'Connector', cell: ({ row }) => <Name connector={row.original} /> },
  { id: 'tasks', header: 'Tasks', cell: ({ row }) => <Tasks connector={row.original} />, meta: { width: '110px', wide: true } },
  {
    id: 'rate',
    header: 'Records',
    cell: ({ row }) => figure(row.original.recordsPerSecond, rate),
    meta: { width: '90px', className: 'number', wide: true },
  },
  { id: 'lag', header: 'Lag', cell: ({ row }) => figure(row.original.lag, count), meta: { width: '80px', className: 'number' } },
  { id: 'since', header: 'Since', cell: ({ row }) => <When at={row.original.since} />, meta: { width: '120px', wide: true } },
]

const keyOf = (connector: { cluster: string; name: string }) => `${connector.cluster} ${connector.name}`

export default function ConnectorsScreen() {
  const query = useConnectors()
  const [filter] = useParam('filter')
  const [chosen, choose] = useParam('connector')
  const [creating, setCreating] = useState(false)
  const connectors = query.data?.connectors
  const rows = useMemo(() => (connectors ?? []).filter((one) => passes(one, filter)), [connectors, filter])
  if (query.error && !query.data) {
    if (refusal(query.error) === 404) return <NotWatched />
    return <Failed error={query.error} what="connectors" retry={() => void query.refetch()} />
  }
  if (!query.data) return <Loading what="Asking Kafka Connect" />
  const { clusters } = query.data
  if (clusters.length === 0) return <NotWatched />
  const open = query.data.connectors.find((one) => keyOf(one) === chosen)
  const working = clusters.filter((cluster) => cluster.state === 'ok')
  return (
    <div className="screen">
      <h1 className="visually-hidden">Connectors</h1>
      <div className="bar">
        <FilterBox label="Filter by name or class" />
        <span className="grow" />
        <button type="button" className="button primary" disabled={working.length === 0} onClick={() => setCreating(true)}>
          New connector
        </button>
      </div>
      {clusters
        .filter((cluster) => cluster.state !== 'ok')
        .map((cluster) => (
          <p key={cluster.name} className="banner" role="status">
            <strong>{cluster.name}</strong> {cluster.state === 'refused' ? 'does not let us in' : 'cannot be reached'}: {cluster.detail ?? cluster.url}
          </p>
        ))}
      <div className="with-panel">
        {rows.length > 0 ? (
          <ListTable
            label="Connectors"
            columns={COLUMNS}
            rows={rows}
            rowId={keyOf}
            selected={chosen}
            onOpen={(one) => choose(keyOf(one))}
            more={false}
            loadMore={() => undefined}
          />
        ) : (
          <div className="scroll main">
            <Empty title={filter ? 'No connector matches' : 'No connectors yet'}>
              {filter ? 'Clear the filter to see all of them.' : 'Paste a connector’s JSON with “New connector”, or apply a file with headwater connect apply.'}
            </Empty>
          </div>
        )}
        {open && <ConnectorPanel key={keyOf(open)} cluster={open.cluster} name={open.name} close={() => choose(null)} />}
      </div>
      {creating && <ConnectorForm clusters={working.map((cluster) => cluster.name)} close={() => setCreating(false)} />}
    </div>
  )
}

function passes(connector: Connector, filter: string): boolean {
  const text = filter.toLowerCase()
  return [connector.name, connector.class, connector.cluster, ...connector.topics].some((part) => part.toLowerCase().includes(text))
}

function NotWatched() {
  return (
    <div className="screen">
      <h1 className="visually-hidden">Connectors</h1>
      <Empty title="No Connect cluster is watched">
        <p>Tell the server where the REST API of Kafka Connect is:</p>
        <Plain text="headwater serve --connect http://localhost:8083" label="command" />
        <p>
          HEADWATER_CONNECT, or <code>connect</code> in headwater.toml, says the same.
        </p>
      </Empty>
    </div>
  )
}

function Name({ connector }: { connector: Connector }) {
  return (
    <div className="node-name">
      <EngineMark engine="connect" />
      <div className="grow">
        <div className="cut name">{connector.name}</div>
        {connector.error ? (
          <div className="cut small error-text" title={connector.error}>
            {connector.error}
          </div>
        ) : (
          <div className="cut small muted" title={connector.class}>
            {connector.type} · {connector.class.slice(connector.class.lastIndexOf('.') + 1)} · {connector.cluster}
          </div>
        )}
      </div>
    </div>
  )
}

function Tasks({ connector }: { connector: Connector }) {
  const running = connector.tasks.filter((task) => task.state === 'RUNNING').length
  const failed = connector.tasks.filter((task) => task.state === 'FAILED').length
  return (
    <>
      {running} of {connector.tasks.length}
      {failed > 0 && (
        <span className="badge" data-tone="fail">
          {failed} failed
        </span>
      )}
    </>
  )
}

function figure(value: number | null, text: (value: number) => string) {
  return value === null ? <span className="muted">–</span> : text(value)
}
