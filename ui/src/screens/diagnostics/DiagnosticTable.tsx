import type { ColumnDef } from '@tanstack/react-table'
import type { Schema } from '../../api/types'
import { Empty, Failed, Loading } from '../../design/states'
import { When } from '../../design/When'
import { Link } from '../../shell/Link'
import { ListTable } from '../list/ListTable'
import { useList } from '../list/useList'
import { EVENT_KINDS } from './kinds'

type Diagnostic = Schema<'Diagnostic'>
type Diagnostics = Schema<'Diagnostics'>

const COLUMNS: ColumnDef<Diagnostic>[] = [
  { id: 'at', header: 'Received', cell: ({ row }) => <When at={row.original.at} />, meta: { width: '112px' } },
  {
    id: 'message',
    header: 'What was odd',
    cell: ({ row }) => (
      <div className="cut" title={row.original.message}>
        {row.original.message}
      </div>
    ),
  },
  {
    id: 'field',
    header: 'Where',
    cell: ({ row }) => <code className="cut">{row.original.field}</code>,
    meta: { width: '220px', wide: true },
  },
  {
    id: 'event',
    header: 'Event',
    cell: ({ row }) =>
      row.original.event == null ? (
        <span className="muted">not stored</span>
      ) : (
        <Link place="events" params={{ event: String(row.original.event) }}>
          {row.original.event}
        </Link>
      ),
    meta: { width: '110px', wide: true },
  },
]

/** What was odd about events, of one kind, the newest first. */
export function DiagnosticTable({ kind, open, setOpen }: { kind: string; open: string; setOpen: (id: string) => void }) {
  const list = useList<Diagnostics, Diagnostic>('/api/v2/diagnostics', { kind }, (page) => page.diagnostics)
  const about = EVENT_KINDS[kind]
  if (list.error) return <Failed error={list.error} what="diagnostics" retry={list.refresh} />
  if (list.pending) return <Loading />
  if (list.rows.length === 0) {
    return (
      <div className="scroll main">
        <Empty title={`${about?.title ?? kind}: none`}>{about?.about}</Empty>
      </div>
    )
  }
  return (
    <ListTable
      label={about?.title ?? kind}
      columns={COLUMNS}
      rows={list.rows}
      rowId={(one) => String(one.id)}
      selected={open}
      onOpen={(one) => setOpen(String(one.id))}
      more={list.more}
      loadMore={list.loadMore}
    />
  )
}
