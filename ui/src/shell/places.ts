/** The places in the page. Each is one path segment and the rest is in the query, so that relative addresses always work. */

export const PLACES = [
  { path: '', label: 'Graph', key: 'g' },
  { path: 'jobs', label: 'Jobs', key: 'j' },
  { path: 'datasets', label: 'Datasets', key: 'd' },
  { path: 'runs', label: 'Runs', key: 'r' },
  { path: 'streams', label: 'Streams', key: 's' },
  { path: 'connectors', label: 'Connectors', key: 'c' },
  { path: 'events', label: 'Events', key: 'e' },
  { path: 'diagnostics', label: 'Diagnostics', key: 'x' },
] as const

export type Place = (typeof PLACES)[number]['path']

/** The place that a path names, whatever the app is mounted under; an unknown one is null. */
export function placeOf(pathname: string): Place | null {
  const last = pathname.slice(pathname.lastIndexOf('/') + 1)
  return PLACES.find((place) => place.path === last)?.path ?? null
}
