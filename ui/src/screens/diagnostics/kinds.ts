/** What each kind of finding means, in one sentence, and whether it is grave. */

export interface Kind {
  title: string
  about: string
  tone: 'fail' | 'warn' | ''
}

export const EVENT_KINDS: Record<string, Kind> = {
  rejected: { title: 'Rejected', about: 'Not an OpenLineage event: refused, and kept as it was sent.', tone: 'fail' },
  'invalid-facet': { title: 'Invalid facet', about: 'Stored, but a facet breaks its published schema.', tone: 'warn' },
  late: { title: 'Late', about: 'Arrived long after its own time.', tone: '' },
  'out-of-order': { title: 'Out of order', about: 'Older than an event of the same run that came before it.', tone: '' },
  duplicate: { title: 'Duplicate', about: 'The same bytes were stored before; stored once.', tone: '' },
}

export const FINDING_KINDS: Record<string, Kind> = {
  'two-names': { title: 'One dataset under two names', about: 'Addresses that differ only in how they are spelled.', tone: 'warn' },
  quiet: { title: 'Gone quiet', about: 'Heard of regularly until a while ago.', tone: 'warn' },
  'no-datasets': { title: 'No inputs and no outputs', about: 'Runs are reported, but not what they touch.', tone: '' },
  'no-inputs': { title: 'No inputs', about: 'Writes without reading: a generator, or an agent that misses the source.', tone: '' },
  'no-outputs': { title: 'No outputs', about: 'Reads without writing: a report, or an agent that misses the sink.', tone: '' },
}
