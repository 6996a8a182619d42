import { duration } from '../../design/format'
import { useNow } from '../../design/When'

/** How long a run took, or has been going on. */
export function Took({ ms, since, state }: { ms?: number | null | undefined; since?: string | null | undefined; state: string | null | undefined }) {
  const now = useNow()
  if (ms != null) return <>{duration(ms)}</>
  if (state === 'RUNNING' && since) return <span title="still running">{duration(Math.max(0, now - Date.parse(since)))}…</span>
  return <span className="muted">–</span>
}
