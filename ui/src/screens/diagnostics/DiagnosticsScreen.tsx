import { useQuery } from '@tanstack/react-query'
import { get } from '../../api/client'
import type { Schema } from '../../api/types'
import { count } from '../../design/format'
import { Failed, Loading } from '../../design/states'
import { useParam } from '../../shell/url'
import { DiagnosticPanel } from './DiagnosticPanel'
import { DiagnosticTable } from './DiagnosticTable'
import { FindingList } from './FindingList'
import { EVENT_KINDS, FINDING_KINDS, type Kind } from './kinds'
import '../list/list.css'
import './diagnostics.css'

type Diagnostics = Schema<'Diagnostics'>
type Findings = Schema<'Findings'>

export default function DiagnosticsScreen() {
  const [chosen, choose] = useParam('kind')
  const [open, setOpen] = useParam('diagnostic')
  const events = useQuery({
    queryKey: ['live', 'diagnostic-counts'],
    queryFn: ({ signal }) => get<Diagnostics>('/api/v2/diagnostics', { limit: 1 }, signal),
  })
  const graph = useQuery({
    queryKey: ['findings'],
    queryFn: ({ signal }) => get<Findings>('/api/v2/diagnostics/findings', {}, signal),
    refetchInterval: 60_000,
  })
  if (events.error ?? graph.error) {
    const again = () => void Promise.all([events.refetch(), graph.refetch()])
    return <Failed error={events.error ?? graph.error} what="diagnostics" retry={again} />
  }
  if (!events.data || !graph.data) return <Loading what="Looking for what is odd" />
  const findings = graph.data.findings
  const kind = chosen || first(events.data.counts, findings)
  return (
    <div className="screen">
      <h1 className="visually-hidden">Diagnostics</h1>
      <nav className="bar kinds" aria-label="Kinds of findings">
        {Object.entries(EVENT_KINDS).map(([name, one]) => (
          <Tile key={name} kind={one} number={events.data.counts[name] ?? 0} current={kind === name} choose={() => choose(name)} />
        ))}
        <span className="divider" aria-hidden="true" />
        {Object.entries(FINDING_KINDS).map(([name, one]) => (
          <Tile key={name} kind={one} number={findings.filter((finding) => finding.kind === name).length} current={kind === name} choose={() => choose(name)} />
        ))}
      </nav>
      <div className="with-panel">
        {kind in FINDING_KINDS ? (
          <FindingList kind={FINDING_KINDS[kind]!} findings={findings.filter((finding) => finding.kind === kind)} />
        ) : (
          <DiagnosticTable kind={kind} open={open} setOpen={(id) => setOpen(id)} />
        )}
        {open && <DiagnosticPanel key={open} id={open} close={() => setOpen(null)} />}
      </div>
    </div>
  )
}

/** The gravest kind that has anything, so that the page opens on what matters. */
function first(counts: Record<string, number>, findings: Findings['findings']): string {
  const events = Object.keys(EVENT_KINDS).find((kind) => counts[kind])
  return events ?? Object.keys(FINDING_KINDS).find((kind) => findings.some((finding) => finding.kind === kind)) ?? 'rejected'
}

function Tile({ kind, number, current, choose }: { kind: Kind; number: number; current: boolean; choose: () => void }) {
  return (
    <button type="button" className="button tile" aria-pressed={current} onClick={choose} title={kind.about}>
      {kind.title}
      <span className="number" data-tone={number > 0 ? kind.tone : ''}>
        {count(number)}
      </span>
    </button>
  )
}
