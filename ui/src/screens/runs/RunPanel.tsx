import { keepPreviousData, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { get, path } from '../../api/client'
import type { RunDetail, RunSummary } from '../../api/types'
import { Json, Plain } from '../../design/Code'
import { CopyButton } from '../../design/CopyButton'
import { stateOf } from '../../design/run-state'
import { StateMark } from '../../design/StateMark'
import { Failed, Loading } from '../../design/states'
import { When } from '../../design/When'
import { Link } from '../../shell/Link'
import { parseNodeId } from '../../shell/to-node'
import { NodeName } from '../list/NodeName'
import { Panel } from '../list/Panel'
import { Took } from '../list/Took'

/** A run: how it went, what it read and wrote, what went wrong, and the runs above and below it. */
export function RunPanel({ id, close }: { id: string; close: () => void }) {
  const query = useQuery({
    queryKey: ['live', 'run', id],
    queryFn: ({ signal }) => get<RunDetail>(path`/api/v2/runs/${id}`, {}, signal),
    placeholderData: keepPreviousData,
  })
  const detail = query.data
  return (
    <Panel title={detail?.run.job ? parseNodeId(detail.run.job).name : 'Run'} close={close}>
      {detail ? <Detail detail={detail} /> : query.error ? <Failed error={query.error} what="this run" retry={() => void query.refetch()} /> : <Loading what="Loading the run" />}
    </Panel>
  )
}

function Detail({ detail }: { detail: RunDetail }) {
  const { run, error, lost } = detail
  return (
    <>
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <StateMark state={stateOf(run.state)} words />
        </dd>
        <dt>Run</dt>
        <dd className="row">
          <code>{run.id}</code> <CopyButton text={run.id} what="the run's id" />
        </dd>
        {run.externalId && (
          <>
            <dt>Sent as</dt>
            <dd>{run.externalId}</dd>
          </>
        )}
        {run.job && (
          <>
            <dt>Job</dt>
            <dd>
              <NodeName id={run.job} />
            </dd>
          </>
        )}
        <dt>Started</dt>
        <dd>
          <When at={run.startedAt} />
        </dd>
        <dt>Took</dt>
        <dd>
          <Took ms={run.durationMs} since={run.startedAt} state={run.state} />
        </dd>
        <dt>Events</dt>
        <dd>
          <Link place="events" params={{ run: run.id }}>
            Show its events
          </Link>
        </dd>
      </dl>
      {lost && (
        <p className="banner">
          {lost.reason}; last heard of <When at={lost.lastSeen} />
        </p>
      )}
      {error && (
        <section>
          <h3>Error</h3>
          <p className="error-text">{error.message}</p>
          {error.stackTrace && <Plain text={error.stackTrace} label="stack trace" />}
        </section>
      )}
      <Nodes title="Read" ids={detail.inputs} />
      <Nodes title="Wrote" ids={detail.outputs} />
      {detail.ancestors.length > 0 && (
        <Section title="Ran under">
          <Runs runs={detail.ancestors} />
        </Section>
      )}
      {(run.children ?? []).length > 0 && (
        <Section title="Ran below it">
          <Runs runs={run.children ?? []} />
        </Section>
      )}
      <Section title="Facets">
        <Json value={detail.facets} label="facets" />
      </Section>
    </>
  )
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section>
      <h3>{title}</h3>
      {children}
    </section>
  )
}

function Nodes({ title, ids }: { title: string; ids: string[] }) {
  if (ids.length === 0) return null
  return (
    <Section title={title}>
      <ul>
        {ids.map((id) => (
          <li key={id}>
            <NodeName id={id} />
          </li>
        ))}
      </ul>
    </Section>
  )
}

function Runs({ runs }: { runs: RunSummary[] }) {
  return (
    <ul>
      {runs.map((run) => (
        <li key={run.id} className="row">
          <StateMark state={stateOf(run.state)} />
          <Link place="runs" params={{ run: run.id }}>
            {run.job ? parseNodeId(run.job).name : run.id}
          </Link>
        </li>
      ))}
    </ul>
  )
}
