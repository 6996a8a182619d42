/** What a screen shows while it has nothing else: loading, empty, failed, not allowed. */
import type { ReactNode } from 'react'
import { ApiError } from '../api/client'

export function Loading({ what = 'Loading' }: { what?: string }) {
  return (
    <div className="quiet-state" role="status">
      <span className="spinner" aria-hidden="true" />
      <span>{what}…</span>
    </div>
  )
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
  return (
    <div className="quiet-state">
      <h2>{title}</h2>
      {children && <div>{children}</div>}
    </div>
  )
}

/** An error in words: what failed, what still works, and a next step. */
export function Failed({ error, what, retry }: { error: unknown; what: string; retry?: () => void }) {
  const status = error instanceof ApiError ? error.status : -1
  const forbidden = status === 401 || status === 403
  const message = error instanceof Error ? error.message : String(error)
  return (
    <div className="quiet-state failed" role="alert">
      <h2>{forbidden ? `You may not see ${what}` : `Could not load ${what}`}</h2>
      <p>{message}</p>
      <p>{forbidden ? 'Ask whoever runs this server for access.' : 'The other screens go on working.'}</p>
      {retry && !forbidden && (
        <button type="button" className="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}
