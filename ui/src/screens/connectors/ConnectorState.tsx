import type { State } from '../../design/run-state'
import { StateMark } from '../../design/StateMark'

const STATES: Record<string, { mark: State; word: string }> = {
  RUNNING: { mark: 'running', word: 'running' },
  PAUSED: { mark: 'paused', word: 'paused' },
  STOPPED: { mark: 'aborted', word: 'stopped' },
  FAILED: { mark: 'failed', word: 'failed' },
  PARTLY_FAILED: { mark: 'failed', word: 'partly failed' },
  STALLED: { mark: 'lost', word: 'stalled' },
  RESTARTING: { mark: 'new', word: 'restarting' },
  UNASSIGNED: { mark: 'new', word: 'unassigned' },
}

/** The state of a connector or a task, in Connect's own words. */
export function ConnectorState({ state }: { state: string }) {
  const { mark, word } = STATES[state] ?? { mark: 'none' as State, word: state.toLowerCase() }
  return (
    <span className="state" data-state={mark}>
      <span className="row" aria-hidden="true">
        <StateMark state={mark} />
      </span>
      {word}
    </span>
  )
}
