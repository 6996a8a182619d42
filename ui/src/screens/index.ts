/** Every screen, by its place in the address; each is loaded when it is first opened. */
import { lazy, type ComponentType, type LazyExoticComponent } from 'react'
import type { Place } from '../shell/places'

type Screen = LazyExoticComponent<ComponentType>

export const SCREENS: Record<Place, Screen> = {
  '': lazy(() => import('./graph/GraphScreen')),
  jobs: lazy(() => import('./jobs/JobsScreen')),
  datasets: lazy(() => import('./datasets/DatasetsScreen')),
  runs: lazy(() => import('./runs/RunsScreen')),
  streams: lazy(() => import('./streams/StreamsScreen')),
  connectors: lazy(() => import('./connectors/ConnectorsScreen')),
  events: lazy(() => import('./events/EventsScreen')),
  diagnostics: lazy(() => import('./diagnostics/DiagnosticsScreen')),
}
