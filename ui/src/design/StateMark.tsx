import { STATE_WORDS, type State } from './run-state'

/** Each state has a shape of its own, so that colour is never the only difference. */
const SHAPES: Record<State, React.ReactNode> = {
  running: (
    <>
      <circle cx="7" cy="7" r="6" className="pulse" fill="none" stroke="currentColor" strokeWidth="1" opacity="0.5" />
      <circle cx="7" cy="7" r="3.5" fill="currentColor" />
    </>
  ),
  complete: <path d="M2.5 7.5 5.8 11 11.5 3.5" fill="none" stroke="currentColor" strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" />,
  failed: <path d="M3 3l8 8M11 3l-8 8" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />,
  aborted: <rect x="3" y="3" width="8" height="8" rx="1" fill="currentColor" />,
  lost: (
    <>
      <path d="M4.2 5a2.8 2.8 0 1 1 4 2.6c-.8.4-1.2.8-1.2 1.7" fill="none" stroke="currentColor" strokeWidth="1.8" strokeLinecap="round" />
      <circle cx="7" cy="12" r="1.1" fill="currentColor" />
    </>
  ),
  paused: <path d="M4.5 3v8M9.5 3v8" stroke="currentColor" strokeWidth="2.4" strokeLinecap="round" />,
  new: <circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.6" strokeDasharray="3 2" />,
  none: <circle cx="7" cy="7" r="4.5" fill="none" stroke="currentColor" strokeWidth="1.4" />,
}

/** The state of a run: a shape and a colour, with the word beside it or for screen readers only. */
export function StateMark({ state, words = false, size = 14 }: { state: State; words?: boolean; size?: number }) {
  return (
    <span className="state" data-state={state}>
      <svg className="mark" width={size} height={size} viewBox="0 0 14 14" aria-hidden="true">
        {SHAPES[state]}
      </svg>
      <span className={words ? '' : 'visually-hidden'}>{STATE_WORDS[state]}</span>
    </span>
  )
}
