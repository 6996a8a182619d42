import { useEffect, useRef, type ReactNode } from 'react'

/** A dialog over the page; the browser keeps the focus in it, and Escape or a click beside it closes it. */
export function Dialog({ label, close, className = '', children }: { label: string; close: () => void; className?: string; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current!
    if (!element.open) element.showModal()
    return () => element.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      className={`dialog ${className}`}
      aria-label={label}
      onCancel={(event) => {
        event.preventDefault()
        close()
      }}
      onKeyDown={(event) => event.stopPropagation()}
      onPointerDown={(event) => event.target === dialog.current && close()}
    >
      <div className="inside">{children}</div>
    </dialog>
  )
}
