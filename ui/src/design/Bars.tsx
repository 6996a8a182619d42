import { duration } from './format'
import { STATE_WORDS, stateOf } from './run-state'
import './bars.css'

export interface Bar {
  state: string
  durationMs?: number | null | undefined
  label?: string
}

/** The last runs as bars, oldest first: colour and mark for how each ended, height for how long it took. */
export function Bars({ bars, label }: { bars: readonly Bar[]; label: string }) {
  const longest = Math.max(1, ...bars.map((bar) => bar.durationMs ?? 0))
  return (
    <span className="bars" role="img" aria-label={label}>
      {bars.map((bar, i) => {
        const state = stateOf(bar.state)
        const part = bar.durationMs == null ? 1 : Math.max(0.25, Math.sqrt(bar.durationMs / longest))
        const title = [bar.label, STATE_WORDS[state], bar.durationMs == null ? '' : duration(bar.durationMs)].filter(Boolean).join(' · ')
        return <span key={i} className="one" data-state={state} style={{ height: `${Math.round(part * 100)}%` }} title={title} />
      })}
    </span>
  )
}
