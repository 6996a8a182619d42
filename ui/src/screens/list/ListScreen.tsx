import type { ReactNode } from 'react'
import { Failed, Loading } from '../../design/states'
import { Behind } from './Behind'
import type { List } from './useList'

interface Props<A, T> {
  what: string
  list: List<A, T>
  /** How many rows there are in all, where that is counted. */
  total?: number | undefined
  filters: ReactNode
  empty: ReactNode
  children: ReactNode
  panel?: ReactNode
}

/** The frame of a list: a bar, then the rows, or why there are none; and beside them what was chosen. */
export function ListScreen<A, T>({ what, list, total, filters, empty, children, panel }: Props<A, T>) {
  return (
    <div className="screen">
      <h1 className="visually-hidden">{what}</h1>
      <div className="bar">
        {filters}
        {total !== undefined && (
          <span className="muted total" role="status">
            {total.toLocaleString('en')} {total === 1 ? what.toLowerCase().slice(0, -1) : what.toLowerCase()}
          </span>
        )}
        <Behind behind={list.behind} refresh={list.refresh} />
      </div>
      <div className="with-panel">
        {list.rows.length > 0 ? children : <div className="scroll main">{nothing(what, list, empty)}</div>}
        {panel}
      </div>
    </div>
  )
}

function nothing<A, T>(what: string, list: List<A, T>, empty: ReactNode): ReactNode {
  if (list.error) return <Failed error={list.error} what={what.toLowerCase()} retry={list.refresh} />
  if (list.pending) return <Loading what={`Loading ${what.toLowerCase()}`} />
  return empty
}
