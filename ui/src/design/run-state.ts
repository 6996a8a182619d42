/** The states of a run and of a connector's task, in the few that the eye can tell apart. */

export type State = 'running' | 'complete' | 'failed' | 'aborted' | 'lost' | 'paused' | 'new' | 'none'

const STATES: Record<string, State> = {
  NEW: 'new',
  START: 'running',
  RUNNING: 'running',
  COMPLETED: 'complete',
  COMPLETE: 'complete',
  FAILED: 'failed',
  FAIL: 'failed',
  ABORTED: 'aborted',
  ABORT: 'aborted',
  STOPPED: 'aborted',
  LOST: 'lost',
  PAUSED: 'paused',
  UNASSIGNED: 'new',
  RESTARTING: 'new',
}

export const STATE_WORDS: Record<State, string> = {
  running: 'running',
  complete: 'complete',
  failed: 'failed',
  aborted: 'aborted',
  lost: 'lost',
  paused: 'paused',
  new: 'starting',
  none: 'never run',
}

export function stateOf(word: string | null | undefined): State {
  return STATES[(word ?? '').toUpperCase()] ?? 'none'
}
