/** The live tail: what the stream says, as rows of the log, if they pass its filters. */
import type { Happening } from '../../api/live'
import type { Schema } from '../../api/types'
import { parseNodeId } from '../../shell/to-node'

export type Event = Schema<'EventEntry'>

export interface Filters {
  filter: string
  namespace: string
  type: string
  run: string
}

/** An event as the list has it; the stream does not say when it was received, which is now. */
export function fromStream(change: Happening, now: string): Event {
  const { id, ...rest } = change
  return { ...rest, id: Number(id), receivedAt: now }
}

/** Whether an event passes the filters, as the server would judge it. */
export function passes(event: Event, filters: Filters): boolean {
  const types = filters.type.split(',').filter(Boolean)
  if (types.length > 0 && !types.includes(event.type)) return false
  if (filters.run && event.run !== filters.run) return false
  const about = [event.job, event.dataset].filter((id) => id != null).map((id) => parseNodeId(id))
  if (filters.namespace && !about.some((one) => one.namespace === filters.namespace)) return false
  const text = filters.filter.trim().toLowerCase()
  return !text || about.some((one) => one.name.toLowerCase().includes(text) || one.namespace.toLowerCase().includes(text))
}

/** New events before those already there, each once, no more than `most`. */
export function together(fresh: readonly Event[], known: readonly Event[], most = Infinity): Event[] {
  const seen = new Set<number>()
  const all = [...fresh, ...known].sort((a, b) => b.id - a.id)
  return all.filter((event) => !seen.has(event.id) && seen.add(event.id)).slice(0, most)
}
