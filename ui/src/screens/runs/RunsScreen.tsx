import type { ColumnDef } from '@tanstack/react-table'
import type { Schema } from '../../api/types'
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
import { useList } from '../list/useList'
import { useNamespaces } from '../list/useNamespaces'
import { useTotal } from '../list/useTotal'
import { RunPanel } from './RunPanel'

type Run = Schema<'RunEntry'>
type RunPage = Schema<'RunPage'>

const COLUMNS: ColumnDef<Run>[] = [
  {
    id: 'state',
    header: 'State',
    cell: ({ row }) => <StateMark state={stateOf(row.original.run.state)} words />,
    meta: { width: '112px' },
  },
  {
    id: 'job',
    header: 'Job',
    cell: ({ row }) => <JobOf run={row.original} />,
  },
  {
    id: 'id',
    header: 'Run',
    cell: ({ row }) => (
      <code className="muted" title={row.original.run.id}>
        {row.original.run.id.slice(0, 8)}
      </code>
    ),
    meta: { width: '100px', wide: true },
  },
  {
    id: 'started',
    header: 'Started',
    cell: ({ row }) => <When at={row.original.run.startedAt} />,
    meta: { width: '124px', sort: 'started', greatestFirst: true },
  },
  {
    id: 'duration',
    header: 'Took',
    cell: ({ row: { original } }) => <Took ms={original.run.durationMs} since={original.run.startedAt} state={original.run.state} />,
    meta: { width: '112px', className: 'number', wide: true, sort: 'duration', greatestFirst: true },
  },
]

export default function RunsScreen() {
  const [filter] = useParam('filter')
  const [namespace] = useParam('namespace')
  const [state] = useParam('state')
  const [sort, setSort] = useParam('sort', '-started')
  const [chosen, choose] = useParam('run')
  const namespaces = useNamespaces()
  const filters = { filter, namespace, state }
  const list = useList<RunPage, Run>('/api/v2/runs', { ...filters, sort }, (page) => page.runs)
  return (
    <ListScreen
      what="Runs"
      list={list}
      total={useTotal('/api/v2/runs', filters)}
      empty={<NoRows place="runs" what="runs" />}
      panel={chosen && <RunPanel key={chosen} id={chosen} close={() => choose(null)} />}
      filters={
        <>
          <FilterBox label="Filter by job or run id" />
          <StateFilter />
          <Choice name="namespace" label="Namespace" options={namespaces} />
        </>
      }
    >
      <ListTable
        label="Runs"
        columns={COLUMNS}
        rows={list.rows}
        rowId={(one) => one.run.id}
        selected={chosen}
        onOpen={(one) => choose(one.run.id)}
        sort={sort}
        onSort={setSort}
        more={list.more}
        loadMore={list.loadMore}
      />
    </ListScreen>
  )
}

function JobOf({ run: { run, error } }: { run: Run }) {
  if (!run.job) return <span className="muted">no job named yet</span>
  return <NodeName id={run.job} note={error && <span className="error-text">{error}</span>} />
}
