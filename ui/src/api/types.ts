/** The server's shapes by name, from its own OpenAPI document (`schema.d.ts` is generated: `make ui`). */
import type { components } from './schema'

export type Schema<K extends keyof components['schemas']> = components['schemas'][K]

export type Graph = Schema<'Graph'>
export type GraphDiff = Schema<'GraphDiff'>
export type FoundThing = Schema<'FoundThing'>
export type FoundThings = Schema<'FoundThings'>
export type JobDetail = Schema<'JobDetail'>
export type DatasetDetail = Schema<'DatasetDetail'>
export type RunDetail = Schema<'RunDetail'>
export type RunSummary = RunDetail['run']
export type Impact = Schema<'Impact'>
export type Change = Schema<'Change'>
