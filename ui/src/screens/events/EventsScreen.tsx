import type { ColumnDef } from '@tanstack/react-table'
import { useMemo } from 'react'
import type { Schema } from '../../api/types'
import { absolute } from '../../design/format'
import { stateOf } from '../../design/run-state'
import { StateMark } from '../../design/StateMark'
import { When } from '../../design/When'
import { Link } from '../../shell/Link'
import { useParam } from '../../shell/url'
import { Choice, FilterBox } from '../list/filters'
import { ListScreen } from '../list/ListScreen'
import { ListTable } from '../list/ListTable'
import { NodeName } from '../list/NodeName'
import { NoRows } from '../list/NoRows'
import { useList } from '../list/useList'
import { useNamespaces } from '../list/useNamespaces'
import { EventPanel } from './EventPanel'
import { together, type Event } from './tail'
import { useTail } from './useTail'
import './events.css'

type EventPage = Schema<'EventPage'>

const TYPES = ['START', 'RUNNING', 'COMPLETE', 'FAIL', 'ABORT', 'OTHER', 'JOB', 'DATASET'].map((value) => ({ value, label: value.toLowerCase() }))

const COLUMNS: ColumnDef<Event>[] = [
  {
    id: 'received',
    header: 'Received',
    cell: ({ row }) => <When at={row.original.receivedAt} />,
    meta: { width: '112px' },
  },
  {
    id: 'type',
    header: 'Type',
    cell: ({ row }) => <Kind type={row.original.type} />,
    meta: { width: '118px' },
  },
  {
    id: 'about',
    header: 'About',
    cell: ({ row }) => <NodeName id={row.original.job ?? row.original.dataset ?? ''} />,
  },
  {
    id: 'run',
    header: 'Run',
    cell: ({ row }) => row.original.run && <RunOf id={row.original.run} />,
    meta: { width: '104px', wide: true },
  },
  {
    id: 'time',
    header: 'Event time',
    cell: ({ row }) => absolute(row.original.eventTime),
    meta: { width: '170px', wide: true },
  },
]

export default function EventsScreen() {
  const [filter] = useParam('filter')
  const [namespace] = useParam('namespace')
  const [type] = useParam('type')
  const [run, setRun] = useParam('run')
  const [chosen, choose] = useParam('event')
  const [still, setStill] = useParam('still')
  const namespaces = useNamespaces()
  const filters = useMemo(() => ({ filter, namespace, type, run }), [filter, namespace, type, run])
  const list = useList<EventPage, Event>('/api/v2/events', { ...filters }, (page) => page.events, false)
  const tail = useTail(filters, still !== '')
  const rows = useMemo(() => together(tail.shown, list.rows), [tail.shown, list.rows])
  return (
    <ListScreen
      what="Events"
      list={{ ...list, rows }}
      empty={<NoRows place="events" what="events" />}
      panel={chosen && <EventPanel key={chosen} id={chosen} close={() => choose(null)} />}
      filters={
        <>
          <button type="button" className="button" aria-pressed={still === ''} onClick={() => setStill(still === '' ? 'yes' : null, true)}>
            Follow
          </button>
          {tail.waiting > 0 && (
            <button type="button" className="button" onClick={tail.show}>
              Show {tail.waiting} new
            </button>
          )}
          <FilterBox label="Filter by job or dataset" />
          <Choice name="type" label="Type" options={TYPES} />
          <Choice name="namespace" label="Namespace" options={namespaces} />
          {run && (
            <button type="button" className="button" onClick={() => setRun(null)}>
              Run {run.slice(0, 8)} ✕<span className="visually-hidden">: show all runs</span>
            </button>
          )}
        </>
      }
    >
      <ListTable
        label="Events"
        columns={COLUMNS}
        rows={rows}
        rowId={(event) => String(event.id)}
        selected={chosen}
        onOpen={(event) => choose(String(event.id))}
        more={list.more}
        loadMore={list.loadMore}
      />
    </ListScreen>
  )
}

/** The type of an event: with the mark of the state it brings, where it brings one. */
function Kind({ type }: { type: string }) {
  const state = stateOf(type)
  return (
    <span className="event-type">
      {state !== 'none' && <StateMark state={state} />}
      <code>{type}</code>
    </span>
  )
}

function RunOf({ id }: { id: string }) {
  return (
    <Link place="runs" params={{ run: id }} title={id}>
      <code>{id.slice(0, 8)}</code>
    </Link>
  )
}
