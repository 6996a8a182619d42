/** The figures of a stream that are drawn: which of them it reported, as they stood and as they stand. */
import type { Schema } from '../../api/types'
import { bytes, count, duration, rate } from '../../design/format'

export type Stream = Schema<'StreamEntry'>
type Point = Schema<'StreamPoint'>

export interface Chart {
  label: string
  values: number[]
  now: string
}

const FIGURES: { key: Exclude<keyof Point, 'at'>; label: string; text: (value: number) => string }[] = [
  { key: 'inputRowsPerSecond', label: 'Rows in', text: rate },
  { key: 'processedRowsPerSecond', label: 'Can process', text: rate },
  { key: 'batchMillis', label: 'Batch time', text: duration },
  { key: 'lag', label: 'Lag', text: (value) => `${count(value)} rows` },
  { key: 'watermarkDelayMillis', label: 'Watermark behind', text: duration },
  { key: 'stateRows', label: 'State rows', text: count },
  { key: 'stateBytes', label: 'State size', text: bytes },
]

/** One chart for each figure that any report had. */
export function charts(points: readonly Point[]): Chart[] {
  return FIGURES.flatMap(({ key, label, text }) => {
    const values = points.map((point) => point[key]).filter((value) => value != null)
    const last = values.at(-1)
    return last === undefined ? [] : [{ label, values, now: text(last) }]
  })
}
