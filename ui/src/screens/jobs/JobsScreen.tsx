import type { ColumnDef } from '@tanstack/react-table'
import type { Schema } from '../../api/types'
import { Bars } from '../../design/Bars'
import { ENGINE_NAMES, jobEngine } from '../../design/engine'
import { EngineMark } from '../../design/EngineMark'
import { absolute } from '../../design/format'
import { stateOf } from '../../design/run-state'
import { StateMark } from '../../design/StateMark'
import { When } from '../../design/When'
import { useParam } from '../../shell/url'
import { Choice, FilterBox, StateFilter } from '../list/filters'
import { ListScreen } from '../list/ListScreen'
import { ListTable } from '../list/ListTable'
import { NodeName } from '../list/NodeName'
import { NoRows } from '../list/NoRows'
import { Took } from '../list/Took'
import { TagChip } from '../list/TagChip'
import { useList } from '../list/useList'
import { useNamespaces } from '../list/useNamespaces'
import { useTotal } from '../list/useTotal'

type Job = Schema<'JobEntry'>
type JobPage = Schema<'JobPage'>

const PROCESSING = [
  { value: 'STREAMING', label: 'Streaming' },
  { value: 'BATCH', label: 'Batch' },
]

const HOW: Record<string, string> = { STREAMING: 'streaming', BATCH: 'batch' }

const COLUMNS: ColumnDef<Job>[] = [
  {
    id: 'state',
    header: 'State',
    cell: ({ row }) => <StateMark state={stateOf(row.original.state)} words />,
    meta: { width: '112px' },
  },
  {
    id: 'name',
    header: 'Job',
    cell: ({ row }) => <NodeName id={row.original.id} mark={<EngineMark engine={jobEngine(row.original.jobType?.integration)} />} />,
    meta: { sort: 'name' },
  },
  {
    id: 'engine',
    header: 'Engine',
    cell: ({ row }) => <Kind job={row.original} />,
    meta: { width: '150px', wide: true },
  },
  {
    id: 'started',
    header: 'Last started',
    cell: ({ row }) => <When at={row.original.startedAt} />,
    meta: { width: '124px', sort: 'started', greatestFirst: true },
  },
  {
    id: 'duration',
    header: 'Took',
    cell: ({ row }) => <Took ms={row.original.durationMs} since={row.original.startedAt} state={row.original.state} />,
    meta: { width: '116px', className: 'number', wide: true, sort: 'duration', greatestFirst: true },
  },
  {
    id: 'history',
    header: 'Last runs',
    cell: ({ row }) => <History job={row.original} />,
    meta: { width: '176px', wide: true },
  },
  {
    id: 'updated',
    header: 'Last event',
    cell: ({ row }) => <When at={row.original.updatedAt} />,
    meta: { width: '124px', wide: true, sort: 'updated', greatestFirst: true },
  },
]

export default function JobsScreen() {
  const [filter] = useParam('filter')
  const [namespace] = useParam('namespace')
  const [state] = useParam('state')
  const [processing] = useParam('processing')
  const [engine] = useParam('engine')
  const [sort, setSort] = useParam('sort', '-updated')
  const [tag] = useParam('tag')
  const namespaces = useNamespaces()
  const filters = { filter, namespace, state, processing, engine, tag }
  const list = useList<JobPage, Job>('/api/v2/jobs', { ...filters, sort }, (page) => page.jobs)
  const engines = (list.first?.engines ?? []).map((word) => ({ value: word, label: engineLabel(word) }))
  return (
    <ListScreen
      what="Jobs"
      list={list}
      total={useTotal('/api/v2/jobs', filters)}
      empty={<NoRows place="jobs" what="jobs" />}
      filters={
        <>
          <FilterBox label="Filter by name" />
          <StateFilter />
          <Choice name="processing" label="Kind" options={PROCESSING} />
          <Choice name="engine" label="Engine" options={engines} />
          <Choice name="namespace" label="Namespace" options={namespaces} />
          <TagChip other="datasets" what="Datasets" />
        </>
      }
    >
      <ListTable label="Jobs" columns={COLUMNS} rows={list.rows} rowId={(job) => job.id} sort={sort} onSort={setSort} more={list.more} loadMore={list.loadMore} />
    </ListScreen>
  )
}

/** An engine in our word for it, or in its own where we have none. */
function engineLabel(word: string): string {
  const engine = jobEngine(word)
  return engine === 'job' ? word.toLowerCase() : ENGINE_NAMES[engine]
}

function Kind({ job }: { job: Job }) {
  const type = job.jobType
  if (!type) return <span className="muted">–</span>
  return (
    <div className="cut">
      {type.integration ? engineLabel(type.integration) : ''}
      <span className="muted small"> {HOW[type.processingType ?? '']}</span>
    </div>
  )
}

function History({ job }: { job: Job }) {
  if (job.history.length === 0) return <span className="muted">–</span>
  const failed = job.history.filter((run) => stateOf(run.state) === 'failed').length
  const bars = job.history.map((run) => ({ state: run.state, durationMs: run.durationMs, label: run.startedAt ? absolute(run.startedAt) : '' }))
  return <Bars bars={bars} label={`${job.history.length} last runs, ${failed} failed`} />
}
