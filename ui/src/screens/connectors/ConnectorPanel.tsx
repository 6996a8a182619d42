import { useState } from 'react'
import { Json, Plain } from '../../design/Code'
import { count, rate } from '../../design/format'
import { Failed, Loading } from '../../design/states'
import { When } from '../../design/When'
import { Link } from '../../shell/Link'
import { toNode } from '../../shell/to-node'
import { Panel } from '../list/Panel'
import { useAction, useConnector, type Action } from './api'
import { Confirm } from './Confirm'
import { ConnectorForm } from './ConnectorForm'
import { ConnectorState } from './ConnectorState'
import type { ConnectorDetail } from './types'

/** One connector: its tasks and their errors, its settings, how far it has come, and what can be done with it. */
export function ConnectorPanel({ cluster, name, close }: { cluster: string; name: string; close: () => void }) {
  const query = useConnector(cluster, name)
  return (
    <Panel title={name} close={close}>
      {query.data ? (
        <Detail connector={query.data} gone={close} />
      ) : query.error ? (
        <Failed error={query.error} what="this connector" retry={() => void query.refetch()} />
      ) : (
        <Loading what="Asking Kafka Connect" />
      )}
    </Panel>
  )
}

function Detail({ connector, gone }: { connector: ConnectorDetail; gone: () => void }) {
  const job = `job:${connector.job.namespace.replaceAll('%', '%25')}:${escaped(connector.job.name)}`
  return (
    <>
      <Actions connector={connector} gone={gone} />
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <ConnectorState state={connector.state} />
        </dd>
        {connector.since && (
          <>
            <dt>Since</dt>
            <dd>
              <When at={connector.since} />
            </dd>
          </>
        )}
        <dt>Class</dt>
        <dd>{connector.class}</dd>
        <dt>Cluster</dt>
        <dd>{connector.cluster}</dd>
        <dt>Flow</dt>
        <dd>
          {connector.recordsPerSecond === null ? 'not known yet' : rate(connector.recordsPerSecond)}
          {connector.lag !== null && `, ${count(connector.lag)} behind`}
        </dd>
        <dt>Topics</dt>
        <dd>{connector.topics.join(', ') || 'none yet'}</dd>
        <dt>Lineage</dt>
        <dd>
          <Link place="" params={toNode(job)}>
            Show it in the graph
          </Link>
          {connector.runId && (
            <>
              {' · '}
              <Link place="runs" params={{ run: connector.runId }}>
                its run
              </Link>
            </>
          )}
        </dd>
      </dl>
      {connector.error && <p className="error-text">{connector.error}</p>}
      <section>
        <h3>Tasks</h3>
        {connector.tasks.length === 0 && <p className="muted">It has no tasks now.</p>}
        <ul className="stack">
          {connector.tasks.map((task) => (
            <li key={task.id}>
              <span className="row">
                <span>Task {task.id}</span>
                <ConnectorState state={task.state} />
                <span className="muted">{task.worker}</span>
              </span>
              {task.error && <Plain text={task.error} label={`error of task ${task.id}`} />}
            </li>
          ))}
        </ul>
      </section>
      <section>
        <h3>Settings</h3>
        <Json value={Object.fromEntries(Object.entries(connector.config).sort())} label="settings" />
      </section>
      {connector.offsets.length > 0 && (
        <section>
          <h3>Offsets</h3>
          <Json value={connector.offsets} label="offsets" />
        </section>
      )}
    </>
  )
}

const ASKED: Partial<Record<Action, { title: string; text: string; yes: string }>> = {
  stop: { title: 'Stop this connector?', text: 'Its tasks are taken down. It keeps its settings and offsets, and Resume starts it again.', yes: 'Stop it' },
  delete: { title: 'Delete this connector?', text: 'Its settings are gone for good. What it wrote stays, and its lineage stays too.', yes: 'Delete it' },
}

function Actions({ connector, gone }: { connector: ConnectorDetail; gone: () => void }) {
  const action = useAction()
  const [asked, ask] = useState<Action | null>(null)
  const [editing, setEditing] = useState(false)
  const { cluster, name, state } = connector
  const act = (what: Action) => {
    ask(null)
    action.mutate({ cluster, name, action: what }, { onSuccess: () => what === 'delete' && gone() })
  }
  const question = asked && ASKED[asked]
  const broken = connector.tasks.some((task) => task.state === 'FAILED')
  const idle = state === 'PAUSED' || state === 'STOPPED'
  return (
    <div>
      <div className="row actions" role="group" aria-label="Actions">
        <Do words={idle ? 'Resume' : 'Pause'} busy={action.isPending} run={() => act(idle ? 'resume' : 'pause')} />
        {broken && <Do words="Restart failed tasks" busy={action.isPending} run={() => act('restart failed tasks')} />}
        <Do words="Restart" busy={action.isPending} run={() => act('restart')} />
        {state !== 'STOPPED' && <Do words="Stop…" busy={action.isPending} run={() => ask('stop')} />}
        <Do words="Edit…" busy={action.isPending} run={() => setEditing(true)} />
        <Do words="Delete…" busy={action.isPending} run={() => ask('delete')} danger />
      </div>
      {action.error && (
        <p className="error-text" role="alert">
          {action.error.message}
        </p>
      )}
      {asked && question && <Confirm {...question} name={name} confirm={() => act(asked)} cancel={() => ask(null)} />}
      {editing && <ConnectorForm clusters={[cluster]} edited={connector} close={() => setEditing(false)} />}
    </div>
  )
}

function Do({ words, busy, run, danger = false }: { words: string; busy: boolean; run: () => void; danger?: boolean }) {
  return (
    <button type="button" className={danger ? 'button danger' : 'button'} disabled={busy} onClick={run}>
      {words}
    </button>
  )
}

/** A name in a node id as the server writes it. */
function escaped(part: string): string {
  return part.replaceAll('%', '%25').replaceAll(':', '%3A')
}
