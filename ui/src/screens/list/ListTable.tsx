/** A table of any length: only the rows in sight are drawn, and arrow keys move between them. */
import { flexRender, getCoreRowModel, useReactTable, type ColumnDef, type RowData } from '@tanstack/react-table'
import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useLayoutEffect, useMemo, useRef, useState, type FocusEvent, type KeyboardEvent } from 'react'
import { arrow, next, sorted } from './order'
import { useNarrow } from './useNarrow'
import './list.css'

declare module '@tanstack/react-table' {
  interface ColumnMeta<TData extends RowData, TValue> {
    width?: string
    className?: string
    /** Left out where there is little room. */
    wide?: boolean
    /** What the server sorts by, where this column can be sorted. */
    sort?: string
    /** Which end comes first when the column is chosen. */
    greatestFirst?: boolean
  }
}

interface Props<T> {
  label: string
  columns: ColumnDef<T>[]
  rows: T[]
  rowId: (row: T) => string
  selected?: string
  sort?: string
  onSort?: (sort: string) => void
  onOpen?: (row: T) => void
  more: boolean
  loadMore: () => void
}

const ROW_HEIGHT = 44

export function ListTable<T>({ label, columns, rows, rowId, selected, sort, onSort, onOpen, more, loadMore }: Props<T>) {
  const scroll = useRef<HTMLDivElement>(null)
  const [current, setCurrent] = useState(0)
  const narrow = useNarrow()
  const shown = useMemo(() => (narrow ? columns.filter((column) => !column.meta?.wide) : columns), [columns, narrow])
  const table = useReactTable({ data: rows, columns: shown, getCoreRowModel: getCoreRowModel(), getRowId: rowId, manualSorting: true })
  const model = table.getRowModel().rows
  const virtual = useVirtualizer({
    count: model.length,
    getScrollElement: () => scroll.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 12,
    getItemKey: (index) => model[index]?.id ?? index,
  })
  const items = virtual.getVirtualItems()
  const last = items.at(-1)?.index ?? 0
  useEffect(() => {
    if (more && last >= model.length - 20) loadMore()
  }, [more, last, model.length, loadMore])

  const rowAt = (index: number) => scroll.current?.querySelector<HTMLElement>(`tr[data-index="${index}"]`)
  const arriving = useRef(false)
  useEffect(() => {
    if (!arriving.current) return
    const row = rowAt(current)
    if (!row) return
    arriving.current = false
    row.focus({ preventScroll: true })
  })
  // A row that leaves the sight takes the focus with it: its list has it then, so that no key is lost.
  const focused = useRef(false)
  useLayoutEffect(() => {
    if (focused.current && document.activeElement === document.body) scroll.current?.focus({ preventScroll: true })
  })
  const left = (event: FocusEvent) => {
    if (event.target.isConnected && !event.currentTarget.contains(event.relatedTarget)) focused.current = false
  }
  const move = (to: number) => {
    const index = Math.max(0, Math.min(model.length - 1, to))
    setCurrent(index)
    virtual.scrollToIndex(index)
    arriving.current = true
  }
  const keys = (event: KeyboardEvent) => {
    const index = current
    const inside = event.target !== scroll.current && !(event.target instanceof HTMLTableRowElement)
    if (inside && event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
    const page = Math.max(1, Math.floor((scroll.current?.clientHeight ?? 0) / ROW_HEIGHT) - 1)
    const steps: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: model.length - 1 }
    const to = steps[event.key]
    if (to !== undefined) {
      event.preventDefault()
      move(to)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      open(index)
    }
  }
  const open = (index: number) => {
    const row = model[index]
    if (!row) return
    if (onOpen) onOpen(row.original)
    else rowAt(index)?.querySelector('a')?.click()
  }

  const before = items[0]?.start ?? 0
  const after = virtual.getTotalSize() - (items.at(-1)?.end ?? 0)
  const width = shown.length
  return (
    <div className="scroll list" ref={scroll} tabIndex={-1} onKeyDown={keys} onFocus={() => (focused.current = true)} onBlur={left}>
      <table className="table" aria-label={label} aria-rowcount={more ? -1 : model.length + 1}>
        <colgroup>
          {table.getAllLeafColumns().map((column) => (
            <col key={column.id} className={column.columnDef.meta?.className} style={{ width: column.columnDef.meta?.width }} />
          ))}
        </colgroup>
        <thead>
          {table.getHeaderGroups().map((group) => (
            <tr key={group.id} aria-rowindex={1}>
              {group.headers.map((header) => {
                const meta = header.column.columnDef.meta
                const title = flexRender(header.column.columnDef.header, header.getContext())
                return (
                  <th key={header.id} scope="col" className={meta?.className} aria-sort={meta?.sort ? sorted(sort, meta.sort) : undefined}>
                    {meta?.sort && onSort ? (
                      <button type="button" onClick={() => onSort(next(sort, meta.sort!, meta.greatestFirst ?? false))}>
                        {title}
                        <span aria-hidden="true">{arrow(sort, meta.sort)}</span>
                      </button>
                    ) : (
                      title
                    )}
                  </th>
                )
              })}
            </tr>
          ))}
        </thead>
        <tbody>
          {before > 0 && <Space height={before} columns={width} />}
          {items.map((item) => {
            const row = model[item.index]
            if (!row) return null
            return (
              <tr
                key={row.id}
                data-index={item.index}
                aria-rowindex={item.index + 2}
                aria-selected={selected === undefined ? undefined : row.id === selected}
                tabIndex={item.index === Math.min(current, model.length - 1) ? 0 : -1}
                onFocus={() => setCurrent(item.index)}
                onClick={onOpen && ((event) => (event.target as HTMLElement).closest('a, button, input') || open(item.index))}
                className={onOpen ? 'opens' : undefined}
              >
                {row.getVisibleCells().map((cell) => (
                  <td key={cell.id} className={cell.column.columnDef.meta?.className}>
                    {flexRender(cell.column.columnDef.cell, cell.getContext())}
                  </td>
                ))}
              </tr>
            )
          })}
          {after > 0 && <Space height={after} columns={width} />}
        </tbody>
      </table>
    </div>
  )
}

/** Takes the room of the rows that are not drawn. */
function Space({ height, columns }: { height: number; columns: number }) {
  return (
    <tr aria-hidden="true" className="space">
      <td colSpan={columns} style={{ height }} />
    </tr>
  )
}
