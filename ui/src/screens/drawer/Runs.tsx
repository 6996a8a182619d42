import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { get, path } from '../../api/client'
import type { JobDetail, RunDetail, RunSummary } from '../../api/types'
import { Bars } from '../../design/Bars'
import { Json, Plain } from '../../design/Code'
import { absolute, duration } from '../../design/format'
import { stateOf } from '../../design/run-state'
import { Sparkline } from '../../design/Sparkline'
import { StateMark } from '../../design/StateMark'
import { When } from '../../design/When'

/** The latest runs of a job: how each went, how long it took, and what it said. */
export function Runs({ job }: { job: JobDetail }) {
  const runs = job.runs
  if (runs.length === 0) return <p className="muted">This job has never run; it is known from a declaration or from its parts.</p>
  const oldestFirst = [...runs].reverse()
  const took = oldestFirst.map((run) => run.durationMs).filter((ms): ms is number => ms != null)
  return (
    <div className="stack">
      <div className="row">
        <Bars bars={oldestFirst.map((run) => ({ state: run.state, durationMs: run.durationMs, label: run.startedAt ? absolute(run.startedAt) : '' }))} label={`The last ${runs.length} runs, oldest first`} />
        {took.length > 1 && <Sparkline values={took} label={`Durations, last ${duration(took[took.length - 1]!)}`} />}
      </div>
      <ol className="plain stack">
        {runs.map((run) => (
          <Run key={run.id} run={run} />
        ))}
      </ol>
    </div>
  )
}

function Run({ run }: { run: RunSummary }) {
  const [open, setOpen] = useState(false)
  return (
    <li className="entry">
      <button type="button" className="row entry-head" aria-expanded={open} onClick={() => setOpen(!open)}>
        <StateMark state={stateOf(run.state)} words />
        <span className="grow" />
        <span className="muted">{run.durationMs != null ? duration(run.durationMs) : ''}</span>
        <When at={run.startedAt} />
      </button>
      {open && <RunFacts id={run.id} />}
    </li>
  )
}

function RunFacts({ id }: { id: string }) {
  const { data, error } = useQuery({ queryKey: ['live', 'run', id], queryFn: ({ signal }) => get<RunDetail>(path`/api/v2/runs/${id}`, {}, signal) })
  if (error) return <p role="alert">{error.message}</p>
  if (!data) return <p className="muted">Loading…</p>
  return (
    <div className="stack">
      <dl className="facts">
        <dt>Run</dt>
        <dd className="mono">{id}</dd>
        {data.run.startedAt && (
          <>
            <dt>From, to</dt>
            <dd>
              {absolute(data.run.startedAt)} – {data.run.endedAt ? absolute(data.run.endedAt) : 'now'}
            </dd>
          </>
        )}
        {data.lost && (
          <>
            <dt>Lost</dt>
            <dd>{data.lost.reason}</dd>
          </>
        )}
      </dl>
      {data.error && (
        <section className="wrong">
          <p>{data.error.message}</p>
          {data.error.stackTrace && <Plain text={data.error.stackTrace} label="stack trace" />}
        </section>
      )}
      <details>
        <summary>Facets</summary>
        <Json value={data.facets} label="facets of the run" />
      </details>
    </div>
  )
}
