/** The address is the view: everything that a colleague should see again is in the query. */
import { useCallback, useSyncExternalStore } from 'react'
import { placeOf, type Place } from './places'

export type Changes = Record<string, string | string[] | null>
const watchers = new Set<() => void>()
let depth = 0

function tell(): void {
  for (const watcher of watchers) watcher()
}

if (typeof window !== 'undefined') {
  depth = (history.state as { depth?: number } | null)?.depth ?? 0
  window.addEventListener('popstate', (event) => {
    depth = (event.state as { depth?: number } | null)?.depth ?? 0
    tell()
  })
}

/** A query with some parameters changed; null removes one, a list repeats it. */
export function changed(search: string, changes: Changes): URLSearchParams {
  const params = new URLSearchParams(search)
  for (const [name, value] of Object.entries(changes)) {
    params.delete(name)
    for (const one of Array.isArray(value) ? value : [value]) if (one !== null) params.append(name, one)
  }
  return params
}

/** The address of a place, for links: with only the parameters given. */
export function href(place: Place, params: Changes = {}): string {
  const query = readable(changed('', params))
  return (place === '' ? './' : place) + (query ? `?${query}` : '')
}

/** Colons and slashes are plain in a query, and names are full of them. */
export function readable(params: URLSearchParams): string {
  return params.toString().replaceAll('%3A', ':').replaceAll('%2F', '/')
}

/** Go to a place with just these parameters; without a place, stay and change them. A replaced entry is not a step to undo. */
export function go(where: { place?: Place; set?: Changes; replace?: boolean }): void {
  const { place, set = {}, replace = false } = where
  const here = placeOf(location.pathname)
  const params = changed(place === undefined ? location.search : '', set)
  const query = readable(params)
  const to = (place ?? here ?? '') || './'
  const url = new URL(query ? `${to}?${query}` : to, new URL('.', document.baseURI)).href
  if (url === location.href) return
  if (replace) history.replaceState({ depth }, '', url)
  else history.pushState({ depth: ++depth }, '', url)
  tell()
}

/** Take back the last change of the view, if it was made on this page. */
export function undo(): void {
  if (depth > 0) history.back()
}

function watch(watcher: () => void): () => void {
  watchers.add(watcher)
  return () => watchers.delete(watcher)
}

export function useLocation(): { place: Place | null; search: string } {
  const url = useSyncExternalStore(watch, () => location.pathname + location.search)
  const at = url.indexOf('?')
  return { place: placeOf(at < 0 ? url : url.slice(0, at)), search: at < 0 ? '' : url.slice(at) }
}

/** One parameter of the address, and how to change it. */
export function useParam(name: string, fallback = ''): [string, (value: string | null, replace?: boolean) => void] {
  const { search } = useLocation()
  const value = new URLSearchParams(search).get(name) ?? fallback
  const set = useCallback(
    (next: string | null, replace = false) => go({ set: { [name]: next === fallback ? null : next }, replace }),
    [name, fallback],
  )
  return [value, set]
}
