import { useEffect, useMemo, useRef, type KeyboardEvent } from 'react'
import { known, nameOf } from '../../graph/evidence'
import type { Scene } from '../../graph/scene'
import { Facts } from './Facts'
import type { Covered } from './useCamera'

const MOST = 60
const MARGIN = 12

interface Props {
  scene: Scene
  id: string
  covered: Covered
  /** The edge that is read, to be marked in the graph. */
  point: (key: string | null) => void
  visit: (id: string) => void
  close: () => void
}

/** What the pointer tells of edges, for the keyboard: those of one card, each with how it is known and how columns are made. */
export function Evidence({ scene, id, covered, point, visit, close }: Props) {
  const found = useMemo(() => known(scene, id, Date.now()), [scene, id])
  const name = nameOf(scene.cards.get(id))
  const list = useRef<HTMLUListElement>(null)
  const panel = useRef<HTMLElement>(null)
  useEffect(() => {
    ;(list.current?.querySelector('button') ?? panel.current)?.focus({ preventScroll: true })
    return () => point(null)
  }, [id, point])
  const move = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (!step) return
    const buttons = [...(list.current?.querySelectorAll('button') ?? [])]
    buttons[buttons.indexOf(document.activeElement as HTMLButtonElement) + step]?.focus()
    event.preventDefault()
  }
  return (
    <section ref={panel} className="floating evidence" role="dialog" aria-label={`Edges of ${name}`} tabIndex={-1} onKeyDown={move} style={{ right: covered.right + MARGIN, bottom: covered.bottom + MARGIN }}>
      <div className="row">
        <h2 className="grow cut">Edges of {name}</h2>
        <button type="button" className="button quiet icon" aria-label="Close the edges" title="Close (Esc)" onClick={close}>
          ✕
        </button>
      </div>
      {found.length === 0 && <p className="muted">Nothing that is shown reads or writes it.</p>}
      <ul ref={list} className="plain">
        {found.slice(0, MOST).map(({ key, title, other, facts }) => (
          <li key={key}>
            <button type="button" title="Go to its other end" onFocus={() => point(key)} onPointerEnter={() => point(key)} onClick={() => visit(other)}>
              <span className="between">{title}</span>
              <Facts facts={facts} />
            </button>
          </li>
        ))}
      </ul>
      {found.length > MOST && <p className="muted">and {found.length - MOST} more</p>}
    </section>
  )
}
