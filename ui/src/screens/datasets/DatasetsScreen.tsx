import type { ColumnDef } from '@tanstack/react-table'
import type { Schema } from '../../api/types'
import { datasetEngine, ENGINE_NAMES } from '../../design/engine'
import { EngineMark } from '../../design/EngineMark'
import { When } from '../../design/When'
import { useParam } from '../../shell/url'
import { Choice, FilterBox } from '../list/filters'
import { ListScreen } from '../list/ListScreen'
import { ListTable } from '../list/ListTable'
import { NodeName } from '../list/NodeName'
import { NoRows } from '../list/NoRows'
import { TagChip } from '../list/TagChip'
import { useList } from '../list/useList'
import { useNamespaces } from '../list/useNamespaces'
import { useTotal } from '../list/useTotal'

type Dataset = Schema<'DatasetEntry'>
type DatasetPage = Schema<'DatasetPage'>

const engineOf = (dataset: Dataset) => datasetEngine(dataset.namespace, dataset.aliases)

const COLUMNS: ColumnDef<Dataset>[] = [
  {
    id: 'name',
    header: 'Dataset',
    cell: ({ row }) => <NodeName id={row.original.id} mark={<EngineMark engine={engineOf(row.original)} />} />,
    meta: { sort: 'name' },
  },
  {
    id: 'store',
    header: 'Store',
    cell: ({ row }) => ENGINE_NAMES[engineOf(row.original)],
    meta: { width: '110px', wide: true },
  },
  {
    id: 'notes',
    header: 'Notes',
    cell: ({ row }) => <Notes dataset={row.original} />,
    meta: { width: '190px', wide: true },
  },
  {
    id: 'columns',
    header: 'Columns',
    cell: ({ row }) => row.original.columns ?? <span className="muted">–</span>,
    meta: { width: '84px', className: 'number' },
  },
  {
    id: 'writers',
    header: 'Writers',
    cell: ({ row }) => row.original.writers,
    meta: { width: '84px', className: 'number', wide: true },
  },
  {
    id: 'readers',
    header: 'Readers',
    cell: ({ row }) => row.original.readers,
    meta: { width: '84px', className: 'number', wide: true },
  },
  {
    id: 'updated',
    header: 'Last event',
    cell: ({ row }) => <When at={row.original.updatedAt} />,
    meta: { width: '124px', sort: 'updated', greatestFirst: true },
  },
]

export default function DatasetsScreen() {
  const [filter] = useParam('filter')
  const [namespace] = useParam('namespace')
  const [scheme] = useParam('scheme')
  const [sort, setSort] = useParam('sort', 'name')
  const [tag] = useParam('tag')
  const namespaces = useNamespaces()
  const schemes = [...new Set(namespaces.flatMap(({ value }) => (value.includes('://') ? [value.slice(0, value.indexOf(':'))] : [])))].sort()
  const filters = { filter, namespace, scheme, tag }
  const list = useList<DatasetPage, Dataset>('/api/v2/datasets', { ...filters, sort }, (page) => page.datasets)
  return (
    <ListScreen
      what="Datasets"
      list={list}
      total={useTotal('/api/v2/datasets', filters)}
      empty={<NoRows place="datasets" what="datasets" />}
      filters={
        <>
          <FilterBox label="Filter by name" />
          <Choice name="scheme" label="Store" options={schemes.map((value) => ({ value, label: value }))} />
          <Choice name="namespace" label="Namespace" options={namespaces} />
          <TagChip other="jobs" what="Jobs" />
        </>
      }
    >
      <ListTable label="Datasets" columns={COLUMNS} rows={list.rows} rowId={(one) => one.id} sort={sort} onSort={setSort} more={list.more} loadMore={list.loadMore} />
    </ListScreen>
  )
}

function Notes({ dataset }: { dataset: Dataset }) {
  const others = dataset.aliases.length
  return (
    <div className="row">
      {dataset.dropped && (
        <span className="badge" data-tone="warn">
          dropped
        </span>
      )}
      {others > 0 && (
        <span className="badge" title={dataset.aliases.join('\n')}>
          {others === 1 ? 'one other name' : `${others} other names`}
        </span>
      )}
      {dataset.writers === 0 && dataset.readers > 0 && !dataset.dropped && <span className="badge">nobody writes it</span>}
    </div>
  )
}
