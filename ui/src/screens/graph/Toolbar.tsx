import { useState } from 'react'
import { createPortal } from 'react-dom'
import { absolute } from '../../design/format'
import { CopyButton } from '../../design/CopyButton'
import { DEFAULT_DEPTH, type View } from '../../graph/view'
import { go } from '../../shell/url'
import { TimePanel } from './TimePanel'

interface Props {
  view: View
  folded: boolean
  timing: boolean
  setTiming: (open: boolean) => void
}

/** The graph's own tools, in the bar at the top of the page. */
export function Toolbar({ view, folded, timing, setTiming }: Props) {
  const place = document.getElementById('tools')
  if (!place) return null
  const tools = (
    <>
      <button type="button" className="button" aria-expanded={timing} aria-haspopup="dialog" onClick={() => setTiming(!timing)} title="Time (t)">
        {view.at ? absolute(view.at) : 'Now'}
        {view.since ? ` since ${absolute(view.since)}` : ''}
        <span aria-hidden="true">▾</span>
      </button>
      {view.node !== null && <Around view={view} />}
      <button type="button" className="button" aria-pressed={folded} onClick={() => go({ set: { group: folded ? 'none' : 'all', fold: null, unfold: null } })} title="Draw each namespace as one card">
        Group
      </button>
      <Hide view={view} />
      <CopyButton text={location.href} what="link to this view" label="Share" />
    </>
  )
  return (
    <>
      {createPortal(tools, place)}
      {timing && <TimePanel view={view} close={() => setTiming(false)} />}
    </>
  )
}

function Around({ view }: { view: View }) {
  return (
    <>
      <label className="row">
        <span className="visually-hidden">Direction</span>
        <select className="field" value={view.direction} onChange={(event) => go({ set: { direction: event.target.value === 'both' ? null : event.target.value } })}>
          <option value="both">Both ways</option>
          <option value="up">Upstream</option>
          <option value="down">Downstream</option>
        </select>
      </label>
      <span className="row depth" role="group" aria-label="Depth">
        <button type="button" className="button icon" aria-label="Less depth" title="Less depth ([)" disabled={view.depth <= 1} onClick={() => setDepth(view.depth - 1)}>
          −
        </button>
        <span aria-live="polite" title="How many jobs away">
          depth {view.depth}
        </span>
        <button type="button" className="button icon" aria-label="More depth" title="More depth (])" disabled={view.depth >= 50} onClick={() => setDepth(view.depth + 1)}>
          +
        </button>
      </span>
      <button type="button" className="button" onClick={() => go({ set: { node: null, direction: null, depth: null } })} title="Leave the focus and show everything">
        Show all
      </button>
    </>
  )
}

export function setDepth(depth: number): void {
  const next = Math.min(50, Math.max(1, depth))
  go({ set: { depth: next === DEFAULT_DEPTH ? null : String(next) } })
}

function Hide({ view }: { view: View }) {
  const [text, setText] = useState(view.hide)
  const [was, setWas] = useState(view.hide)
  if (was !== view.hide) {
    setWas(view.hide)
    setText(view.hide)
  }
  const commit = () => text !== view.hide && go({ set: { hide: text || null } })
  return (
    <input
      className="field hide"
      type="search"
      aria-label="Hide cards by pattern"
      placeholder="Hide: tmp_*, staging"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
    />
  )
}
