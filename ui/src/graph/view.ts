/** What of the graph the reader wants to see, as it is written in the address. */

export type Direction = 'up' | 'down' | 'both'

export interface View {
  /** Where the graph starts; null is the newest part of everything. */
  node: string | null
  direction: Direction
  depth: number
  limit: number
  /** Datasets whose columns are shown. */
  open: string[]
  selected: string | null
  /** The column of the selected dataset whose path is lit. */
  column: string | null
  /** The path of the selected node that is lit. */
  trace: Direction | null
  /** Namespaces drawn as one card: all of them, those named, or as the size of the graph suggests. */
  group: 'auto' | 'all' | 'none'
  folded: string[]
  unfolded: string[]
  hide: string
  at: string | null
  /** With it, the graph shows what changed from then until `at`. */
  since: string | null
  drawer: string | null
}

/** The parts of a view that say which cards there are. */
export type Shown = Pick<View, 'node' | 'selected' | 'open' | 'group' | 'folded' | 'unfolded' | 'hide'>

export const DEFAULT_DEPTH = 3
export const DEFAULT_LIMIT = 400
export const MOST = 10_000

export function parseView(search: string): View {
  const params = new URLSearchParams(search)
  const oneOf = <T extends string>(name: string, ...allowed: T[]): T | null => allowed.find((word) => word === params.get(name)) ?? null
  const selected = params.get('sel')
  return {
    node: params.get('node'),
    direction: oneOf('direction', 'up', 'down', 'both') ?? 'both',
    depth: whole(params.get('depth'), DEFAULT_DEPTH, 1, 50),
    limit: whole(params.get('limit'), DEFAULT_LIMIT, 10, MOST),
    open: params.getAll('open'),
    selected,
    column: selected ? params.get('column') : null,
    trace: selected ? oneOf('trace', 'up', 'down', 'both') : null,
    group: oneOf('group', 'all', 'none') ?? 'auto',
    folded: params.getAll('fold'),
    unfolded: params.getAll('unfold'),
    hide: params.get('hide') ?? '',
    at: time(params.get('at')),
    since: time(params.get('since')),
    drawer: selected ? params.get('drawer') : null,
  }
}

function whole(given: string | null, fallback: number, low: number, high: number): number {
  const n = Number(given)
  return given !== null && Number.isInteger(n) ? Math.min(high, Math.max(low, n)) : fallback
}

function time(given: string | null): string | null {
  return given !== null && !Number.isNaN(Date.parse(given)) ? given : null
}

/** Patterns with `*` for anything, parted by commas; a name without one matches any part. */
export function hidden(patterns: string): (name: string) => boolean {
  const tests = patterns
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean)
    .map((one) => {
      const escaped = one.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')
      return new RegExp(one.includes('*') ? `^${escaped}$` : escaped, 'i')
    })
  return (name) => tests.some((test) => test.test(name))
}
