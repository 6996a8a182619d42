/** The few things about a dataset that matter now, beyond its state. */
import { ago } from '../design/format'
import type { GraphNode } from './model'

const DAY = 86_400_000
const PERSONAL = /\bpii\b/i

export interface Badge {
  label: string
  title: string
}

export function badges(node: Pick<GraphNode, 'tags' | 'columns' | 'schemaChangedAt'>, now: number): Badge[] {
  const found: Badge[] = []
  const personal = (node.columns ?? []).filter((column) => column.tags.some((tag) => PERSONAL.test(tag))).map((column) => column.name)
  if (personal.length > 0) found.push({ label: 'PII', title: `personal data in ${personal.join(', ')}` })
  else if (node.tags.some((tag) => PERSONAL.test(tag))) found.push({ label: 'PII', title: 'tagged as personal data' })
  const changed = node.schemaChangedAt
  if (changed && now - Date.parse(changed) < DAY) found.push({ label: 'new schema', title: `its columns changed ${ago(changed, now)}` })
  return found
}
