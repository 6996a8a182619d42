import { useQuery } from '@tanstack/react-query'
import { get, path } from '../../api/client'
import type { DatasetDetail, JobDetail, RunDetail } from '../../api/types'
import { Plain } from '../../design/Code'
import { duration } from '../../design/format'
import { stateOf } from '../../design/run-state'
import { StateMark } from '../../design/StateMark'
import { When } from '../../design/When'
import { parseNodeId } from '../../shell/to-node'
import { go } from '../../shell/url'
import { Description } from './Description'
import { Tags } from './Tags'

export function AboutJob({ job }: { job: JobDetail }) {
  const last = job.runs[0]
  const wrong = last && ['failed', 'lost', 'aborted'].includes(stateOf(last.state))
  return (
    <div className="stack">
      <Description kind="job" namespace={job.namespace} name={job.name} />
      {wrong && <Wrong run={last.id} />}
      <dl className="facts">
        <dt>State</dt>
        <dd>
          <StateMark state={stateOf(job.state)} words />
        </dd>
        {last && (
          <>
            <dt>Last run</dt>
            <dd>
              <When at={last.startedAt} />
              {last.durationMs != null && `, took ${duration(last.durationMs)}`}
            </dd>
          </>
        )}
        <dt>Known since</dt>
        <dd>
          <When at={job.createdAt} />
        </dd>
        <Owners owners={job.owners} />
        {job.parent && (
          <>
            <dt>Part of</dt>
            <dd>
              <NodeButton id={job.parent} />
            </dd>
          </>
        )}
      </dl>
      <Names title="Reads" ids={job.inputs} empty="Nothing that it said" />
      <Names title="Writes" ids={job.outputs} empty="Nothing that it said" />
      {job.children.length > 0 && <Names title="Has parts" ids={job.children} empty="" />}
      <Tags kind="job" namespace={job.namespace} name={job.name} />
    </div>
  )
}

export function AboutDataset({ dataset }: { dataset: DatasetDetail }) {
  const columns = Array.isArray(dataset.columns) ? dataset.columns.length : 0
  const owners = (dataset.facets as { ownership?: { owners?: { name: string; type?: string | null }[] } } | undefined)?.ownership?.owners ?? []
  const last = dataset.writes[0]
  return (
    <div className="stack">
      <Description kind="dataset" namespace={dataset.namespace} name={dataset.name} />
      <dl className="facts">
        <dt>Columns</dt>
        <dd>{columns || 'not known'}</dd>
        <dt>Schemas seen</dt>
        <dd>{dataset.schemas.length}</dd>
        <dt>Last written</dt>
        <dd>{last ? <When at={last.at} /> : 'never, as far as events say'}</dd>
        <dt>Known since</dt>
        <dd>
          <When at={dataset.createdAt} />
        </dd>
        <dt>Writers, readers</dt>
        <dd>
          {dataset.counts.in}, {dataset.counts.out}
        </dd>
        <Owners owners={owners} />
        {dataset.dropped && (
          <>
            <dt>Dropped</dt>
            <dd>yes, and not seen since</dd>
          </>
        )}
      </dl>
      {dataset.aliases.length > 0 && (
        <section>
          <h2>Also known as</h2>
          <p className="muted">Events named these as the same dataset (symlinks).</p>
          <ul className="plain">
            {dataset.aliases.map((alias) => {
              const { namespace, name } = parseNodeId(alias)
              return (
                <li key={alias}>
                  <span>{name}</span> <span className="muted mono">{namespace}</span>
                </li>
              )
            })}
          </ul>
        </section>
      )}
      <Tags kind="dataset" namespace={dataset.namespace} name={dataset.name} />
    </div>
  )
}

/** Why the last run ended badly, with its stack trace. */
function Wrong({ run }: { run: string }) {
  const { data } = useQuery({ queryKey: ['live', 'run', run], queryFn: ({ signal }) => get<RunDetail>(path`/api/v2/runs/${run}`, {}, signal) })
  if (!data || (!data.error && !data.lost)) return null
  return (
    <section className="wrong">
      <h2>{data.lost ? 'Given up' : 'Failed'}</h2>
      <p>{data.error?.message || data.lost?.reason}</p>
      {data.error?.stackTrace && (
        <details>
          <summary>Stack trace</summary>
          <Plain text={data.error.stackTrace} label="stack trace" />
        </details>
      )}
    </section>
  )
}

function Owners({ owners }: { owners: readonly { name: string; type?: string | null }[] }) {
  if (owners.length === 0) return null
  return (
    <>
      <dt>Owners</dt>
      <dd>{owners.map((owner) => (owner.type ? `${owner.name} (${owner.type.toLowerCase()})` : owner.name)).join(', ')}</dd>
    </>
  )
}

function Names({ title, ids, empty }: { title: string; ids: readonly string[]; empty: string }) {
  return (
    <section>
      <h2>{title}</h2>
      {ids.length === 0 ? (
        <p className="muted">{empty}</p>
      ) : (
        <ul className="plain">
          {ids.map((id) => (
            <li key={id}>
              <NodeButton id={id} />
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

export function NodeButton({ id }: { id: string }) {
  const { name, namespace } = parseNodeId(id)
  return (
    <button type="button" className="link" title={`${name} in ${namespace}`} onClick={() => go({ set: { sel: id, column: null, trace: null } })}>
      {name}
    </button>
  )
}
