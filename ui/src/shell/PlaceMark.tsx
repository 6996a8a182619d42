import type { Place } from './places'

const MARKS: Record<Place, string> = {
  '': 'M2 4h4v3H2zM10 2h4v3h-4zM10 10h4v3h-4zM6 5.5h2V3.5h2M8 5.5v6h2',
  jobs: 'M2.5 3.5h11v9h-11zM5.5 6.5l2 1.5-2 1.5M8.5 10h2.5',
  datasets: 'M3 4c0-2 10-2 10 0v8c0 2-10 2-10 0zM3 4c0 2 10 2 10 0M3 8c0 2 10 2 10 0',
  runs: 'M2 12.5h12M4 12V8M7 12V4M10 12V6.5M13 12V9',
  streams: 'M1.5 5c2-2 3.5-2 6.5 0s4.5 2 6.5 0M1.5 10.5c2-2 3.5-2 6.5 0s4.5 2 6.5 0',
  connectors: 'M2 8h3M11 8h3M5 5v6h2.5a3 3 0 0 0 0-6zM9.8 6h1.7v4H9.8',
  events: 'M2.5 3.5h11M2.5 8h11M2.5 12.5h7',
  diagnostics: 'M8 2l6.5 11.5h-13zM8 6.5v3M8 11.5v.3',
}

export function PlaceMark({ place }: { place: Place }) {
  return (
    <svg className="mark" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinejoin="round" strokeLinecap="round" aria-hidden="true">
      <path d={MARKS[place]} />
    </svg>
  )
}
