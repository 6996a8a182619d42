import { useQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { get, path } from '../../api/client'
import type { DatasetDetail, JobDetail } from '../../api/types'
import { CopyButton } from '../../design/CopyButton'
import { EngineMark } from '../../design/EngineMark'
import { datasetEngine, ENGINE_NAMES, jobEngine, type Engine } from '../../design/engine'
import { stateOf } from '../../design/run-state'
import { StateMark } from '../../design/StateMark'
import { Failed, Loading } from '../../design/states'
import { parseNodeId } from '../../shell/to-node'
import { go } from '../../shell/url'
import { AboutDataset, AboutJob } from './About'
import { FacetList } from './Facets'
import { ImpactList } from './ImpactList'
import { Runs } from './Runs'
import { SchemaHistory } from './SchemaHistory'
import { SourceCode, sourcesIn } from './SourceCode'
import './drawer.css'

const LEAST = 320

/** Everything about one job or dataset, beside the graph. */
export default function Drawer({ id, tab, close }: { id: string; tab: string; close: () => void }) {
  const { kind, namespace, name } = parseNodeId(id)
  const [width, setWidth] = useState(420)
  const title = useRef<HTMLHeadingElement>(null)
  useEffect(() => title.current?.focus({ preventScroll: true }), [id])
  const isJob = kind === 'job'
  const query = useQuery({
    queryKey: ['live', kind, namespace, name],
    queryFn: ({ signal }): Promise<JobDetail | DatasetDetail> =>
      isJob
        ? get<JobDetail>(path`/api/v2/jobs/${namespace}/${name}`, { limit: 40 }, signal)
        : get<DatasetDetail>(path`/api/v2/datasets/${namespace}/${name}`, { limit: 50 }, signal),
  })
  const data = query.data
  const job = isJob ? (data as JobDetail | undefined) : undefined
  const dataset = isJob ? undefined : (data as DatasetDetail | undefined)
  const engine = job ? jobEngine(job.jobType?.integration) : datasetEngine(namespace, dataset?.aliases ?? [])
  const tabs = isJob ? ['about', 'runs', 'source', 'facets', 'impact'] : ['about', 'schema', 'writes', 'facets', 'impact']
  const shown = tabs.includes(tab) ? tab : 'about'
  const pick = (next: string) => go({ set: { drawer: next }, replace: true })

  return (
    <aside className="drawer floating" aria-label={`${kind} ${name}`} style={{ '--drawer-width': `${width}px` } as React.CSSProperties}>
      <Grip width={width} setWidth={setWidth} />
      <header>
        <div className="row">
          {job ? <StateMark state={stateOf(job.state)} /> : <EngineMark engine={engine} />}
          <h1 ref={title} tabIndex={-1} className="grow name">
            {name}
          </h1>
          <CopyButton text={name} what="name" />
          <button type="button" className="button quiet icon" aria-label="Close the drawer" title="Close (Esc)" onClick={close}>
            ✕
          </button>
        </div>
        <p className="muted">
          {kindOf(engine, isJob ? kindOfWork(job) : 'dataset')} in <span className="mono">{namespace || '(no namespace)'}</span>
        </p>
        <div className="row tabs" role="tablist" aria-label="About this node">
          {tabs.map((one) => (
            <button key={one} type="button" role="tab" id={`tab-${one}`} aria-selected={one === shown} aria-controls="drawer-panel" tabIndex={one === shown ? 0 : -1} onClick={() => pick(one)} onKeyDown={(event) => arrows(event, tabs, one, pick)}>
              {one[0]!.toUpperCase() + one.slice(1)}
            </button>
          ))}
        </div>
      </header>
      <div id="drawer-panel" role="tabpanel" aria-labelledby={`tab-${shown}`} className="panel" tabIndex={0}>
        {query.error && !data ? <Failed error={query.error} what={`this ${kind}`} retry={() => void query.refetch()} /> : !data ? <Loading /> : null}
        {job && shown === 'about' && <AboutJob job={job} />}
        {job && shown === 'runs' && <Runs job={job} />}
        {job && shown === 'source' && <SourceCode sources={sourcesIn(job.facets)} />}
        {dataset && shown === 'about' && <AboutDataset dataset={dataset} />}
        {dataset && shown === 'schema' && <SchemaHistory dataset={dataset} />}
        {dataset && shown === 'writes' && <Writes dataset={dataset} />}
        {data && shown === 'facets' && <FacetList facets={data.facets} />}
        {data && shown === 'impact' && <ImpactList id={data.id} />}
      </div>
    </aside>
  )
}

/** Of what system, where that is known: `Spark stream`, or just `Stream`. */
function kindOf(engine: Engine, what: string): string {
  const isKnown = engine !== 'job' && engine !== 'dataset'
  return isKnown ? `${ENGINE_NAMES[engine]} ${what}` : what[0]!.toUpperCase() + what.slice(1)
}

function kindOfWork(job: JobDetail | undefined): string {
  const processing = job?.jobType?.processingType?.toLowerCase()
  return processing === 'streaming' ? 'stream' : processing === 'batch' ? 'batch job' : 'job'
}

function arrows(event: React.KeyboardEvent, tabs: string[], current: string, pick: (tab: string) => void): void {
  const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
  if (!step) return
  const next = tabs[(tabs.indexOf(current) + step + tabs.length) % tabs.length]!
  pick(next)
  document.getElementById(`tab-${next}`)?.focus()
  event.preventDefault()
  event.stopPropagation()
}

function Grip({ width, setWidth }: { width: number; setWidth: (width: number) => void }) {
  const most = Math.max(LEAST, innerWidth - 120)
  const limited = (next: number) => setWidth(Math.min(most, Math.max(LEAST, next)))
  return (
    <div
      className="grip"
      role="separator"
      aria-orientation="vertical"
      aria-label="Width of the drawer"
      aria-valuenow={width}
      aria-valuemin={LEAST}
      aria-valuemax={most}
      tabIndex={0}
      onKeyDown={(event) => {
        const step = event.key === 'ArrowLeft' ? 24 : event.key === 'ArrowRight' ? -24 : 0
        if (!step) return
        limited(width + step)
        event.preventDefault()
        event.stopPropagation()
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => event.buttons === 1 && limited(innerWidth - event.clientX)}
    />
  )
}

function Writes({ dataset }: { dataset: DatasetDetail }) {
  if (dataset.writes.length === 0) return <p className="muted">No run has written this dataset.</p>
  return (
    <ol className="stack plain">
      {dataset.writes.map((write, i) => (
        <li key={i} className="entry">
          <div className="row">
            <time dateTime={write.at}>{new Date(write.at).toLocaleString()}</time>
            {write.lifecycle && <span className="badge">{write.lifecycle.toLowerCase()}</span>}
          </div>
          {write.job && (
            <button type="button" className="link" onClick={() => go({ set: { sel: write.job!, drawer: 'runs' } })}>
              {parseNodeId(write.job).name}
            </button>
          )}
          {write.version && <div className="muted mono">version {write.version}</div>}
        </li>
      ))}
    </ol>
  )
}
