import { useEffect, useState } from 'react'
import { absolute } from '../../design/format'
import type { View } from '../../graph/view'
import { go } from '../../shell/url'

const SPANS: [string, number][] = [
  ['hour', 3_600_000],
  ['day', 86_400_000],
  ['week', 7 * 86_400_000],
  ['month', 30 * 86_400_000],
  ['year', 365 * 86_400_000],
]
const STEPS = 200

/** The graph as it was: a slider over a span, an exact time, and a second time to compare with. */
export function TimePanel({ view, close }: { view: View; close: () => void }) {
  const [now] = useState(() => Date.now())
  const at = view.at ? Date.parse(view.at) : now
  const [span, setSpan] = useState(() => SPANS.find(([, ms]) => now - at <= ms)?.[1] ?? SPANS[4]![1])
  const [step, setStep] = useState(() => toStep(at, now, span))
  const shown = step === STEPS ? null : new Date(now - span + (span * step) / STEPS)

  useEffect(() => {
    // While the slider moves, the graph follows a little behind.
    const timer = setTimeout(() => {
      const next = shown === null ? null : shown.toISOString()
      if (toStep(at, now, span) !== step) go({ set: { at: next }, replace: view.at !== null })
    }, 160)
    return () => clearTimeout(timer)
    // Only a move of the slider counts, not what the address says meanwhile.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [step, span])

  return (
    <section className="floating time" role="dialog" aria-label="Time" onKeyDown={(event) => event.key === 'Escape' && close()}>
      <div className="row">
        <label className="row">
          Last
          <select className="field" value={span} onChange={(event) => setSpan(Number(event.target.value))}>
            {SPANS.map(([name, ms]) => (
              <option key={name} value={ms}>
                {name}
              </option>
            ))}
          </select>
        </label>
        <output className="grow">{shown ? absolute(shown.getTime()) : 'now'}</output>
        <button type="button" className="button quiet icon" aria-label="Close time" onClick={close}>
          ✕
        </button>
      </div>
      <input
        type="range"
        min={0}
        max={STEPS}
        value={step}
        autoFocus
        aria-label="Show the graph as it was"
        aria-valuetext={shown ? absolute(shown.getTime()) : 'now'}
        onChange={(event) => setStep(Number(event.target.value))}
      />
      <div className="row wrap">
        <label className="stacked-field">
          As of
          <input className="field" type="datetime-local" step={1} value={local(view.at)} onChange={(event) => go({ set: { at: iso(event.target.value) } })} />
        </label>
        <label className="stacked-field">
          Compare with
          <input className="field" type="datetime-local" step={1} value={local(view.since)} onChange={(event) => go({ set: { since: iso(event.target.value) } })} />
        </label>
        <button
          type="button"
          className="button"
          disabled={view.at === null && view.since === null}
          onClick={() => {
            setStep(STEPS)
            go({ set: { at: null, since: null } })
          }}
        >
          Back to now
        </button>
      </div>
      <p className="muted">Times are those of the events. With a time to compare with, what was added, removed and changed since then is marked.</p>
    </section>
  )
}

function toStep(at: number, now: number, span: number): number {
  return Math.round(Math.min(1, Math.max(0, (at - now + span) / span)) * STEPS)
}

/** For a field of local time: `2026-01-31T12:00:00`. */
function local(time: string | null): string {
  return time === null ? '' : absolute(time).replace(' ', 'T')
}

function iso(text: string): string | null {
  const time = new Date(text)
  return text && !Number.isNaN(time.getTime()) ? time.toISOString() : null
}
