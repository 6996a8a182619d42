/** What flows along an edge, in a few words. */
import { count, duration, rate } from '../design/format'
import type { Card, CardEdge } from './cards'
import type { Figures } from './model'

export interface EdgeLabel {
  /** `9.8k/s`, above the line. */
  rate: string
  /** `lag 1.2k`, or how far the watermark is behind, below it. */
  behind: string
}

/** The rate on either side of a running job, and where it reads how far it is behind; null where nothing is known. */
export function edgeLabel(edge: Pick<CardEdge, 'from' | 'to' | 'kind'>, cards: ReadonlyMap<string, Pick<Card, 'node'>>): EdgeLabel | null {
  if (edge.kind !== 'read' && edge.kind !== 'write') return null
  const job = cards.get(edge.kind === 'read' ? edge.to : edge.from)?.node
  if (!job?.figures || job.state !== 'running') return null
  const { rowsPerSecond, lag, watermarkDelayMs } = job.figures
  const label = { rate: rowsPerSecond === undefined ? '' : rate(rowsPerSecond), behind: '' }
  if (edge.kind === 'read' && lag !== undefined) label.behind = `lag ${count(lag)}`
  if (edge.kind === 'write' && watermarkDelayMs !== undefined) label.behind = `−${duration(watermarkDelayMs)}`
  return label.rate || label.behind ? label : null
}

/** All of it in one line: `9.8k/s · lag 1.2k · 4 s behind`. */
export function words(figures: Figures): string {
  const parts: string[] = []
  if (figures.rowsPerSecond !== undefined) parts.push(rate(figures.rowsPerSecond))
  if (figures.lag !== undefined) parts.push(`lag ${count(figures.lag)}`)
  if (figures.watermarkDelayMs !== undefined) parts.push(`${duration(figures.watermarkDelayMs)} behind`)
  return parts.join(' · ')
}
