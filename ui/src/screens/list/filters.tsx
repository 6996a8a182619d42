/** The bar over a list: what is typed or chosen here is in the address, so that a link shows the same rows. */
import { useEffect, useRef, useState } from 'react'
import { useParam } from '../../shell/url'
import { STATE_WORDS, stateOf } from '../../design/run-state'
import { StateMark } from '../../design/StateMark'

const TYPING_MS = 250

/** A text to filter by. */
export function FilterBox({ label, name = 'filter' }: { label: string; name?: string }) {
  const [value, set] = useParam(name)
  const [typed, setTyped] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => setTyped(value), [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const type = (text: string) => {
    setTyped(text)
    clearTimeout(timer.current)
    timer.current = setTimeout(() => set(text.trim() || null, true), TYPING_MS)
  }
  return (
    <input
      className="field filter"
      type="search"
      value={typed}
      placeholder={label}
      aria-label={label}
      spellCheck={false}
      onChange={(event) => type(event.target.value)}
    />
  )
}

export interface Option {
  value: string
  label: string
}

/** One of a few; the first choice is all of them. */
export function Choice({ name, label, options }: { name: string; label: string; options: readonly Option[] }) {
  const [value, set] = useParam(name)
  const known = value === '' || options.some((option) => option.value === value)
  return (
    <select className="field" aria-label={label} value={value} onChange={(event) => set(event.target.value || null)}>
      <option value="">{label}: all</option>
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
      {!known && <option value={value}>{value}</option>}
    </select>
  )
}

export const RUN_STATES = ['RUNNING', 'COMPLETED', 'FAILED', 'ABORTED', 'LOST'] as const

/** Any number of states, as buttons that stay pressed. */
export function StateFilter({ states = RUN_STATES, name = 'state' }: { states?: readonly string[]; name?: string }) {
  const [value, set] = useParam(name)
  const chosen = value.split(',').filter(Boolean)
  const toggle = (state: string) => {
    const next = chosen.includes(state) ? chosen.filter((one) => one !== state) : [...chosen, state]
    set(next.join(',') || null)
  }
  return (
    <div className="row states" role="group" aria-label="State">
      {states.map((state) => (
        <button key={state} type="button" className="button" aria-pressed={chosen.includes(state)} onClick={() => toggle(state)} title={STATE_WORDS[stateOf(state)]}>
          <StateMark state={stateOf(state)} words />
        </button>
      ))}
    </div>
  )
}
