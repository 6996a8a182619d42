import { useEffect, useId, useRef, type ReactNode } from 'react'

/** What was chosen in a list, beside it; over it where there is little room. Esc closes it and gives the focus back. */
export function Panel({ title, close, children }: { title: string; close: () => void; children: ReactNode }) {
  const heading = useId()
  const panel = useRef<HTMLElement>(null)
  const latest = useRef(close)
  latest.current = close
  useEffect(() => {
    const before = document.activeElement
    panel.current?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true })
    const key = (event: KeyboardEvent) => {
      if (event.key !== 'Escape' || event.defaultPrevented || document.querySelector('dialog[open]')) return
      event.preventDefault()
      latest.current()
    }
    document.addEventListener('keydown', key)
    return () => {
      document.removeEventListener('keydown', key)
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [])
  return (
    <section className="panel" ref={panel} aria-labelledby={heading}>
      <div className="row panel-head">
        <h2 id={heading} className="grow cut" title={title}>
          {title}
        </h2>
        <button type="button" className="button quiet icon" aria-label="Close" title="Close (Esc)" onClick={close}>
          ✕
        </button>
      </div>
      <div className="panel-body stack">{children}</div>
    </section>
  )
}
