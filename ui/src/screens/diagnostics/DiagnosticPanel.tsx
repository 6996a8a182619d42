import { useQuery } from '@tanstack/react-query'
import { get, path } from '../../api/client'
import type { Schema } from '../../api/types'
import { Json, Plain } from '../../design/Code'
import { Failed, Loading } from '../../design/states'
import { When } from '../../design/When'
import { Link } from '../../shell/Link'
import { Panel } from '../list/Panel'
import { EVENT_KINDS } from './kinds'

type Diagnostic = Schema<'Diagnostic'>

/** One oddity, with what was sent. */
export function DiagnosticPanel({ id, close }: { id: string; close: () => void }) {
  const query = useQuery({
    queryKey: ['diagnostic', id],
    queryFn: ({ signal }) => get<Diagnostic>(path`/api/v2/diagnostics/${id}`, {}, signal),
    staleTime: Infinity,
  })
  const found = query.data
  if (!found) {
    return (
      <Panel title={`Diagnostic ${id}`} close={close}>
        {query.error ? <Failed error={query.error} what="this diagnostic" retry={() => void query.refetch()} /> : <Loading />}
      </Panel>
    )
  }
  const kind = EVENT_KINDS[found.kind]
  return (
    <Panel title={kind?.title ?? found.kind} close={close}>
      <p className="muted">{kind?.about}</p>
      <p>{found.message}</p>
      <dl className="facts">
        <dt>Received</dt>
        <dd>
          <When at={found.at} />
        </dd>
        {found.field && (
          <>
            <dt>Where</dt>
            <dd>
              <code>{found.field}</code>
            </dd>
          </>
        )}
        {found.event != null && (
          <>
            <dt>Event</dt>
            <dd>
              <Link place="events" params={{ event: String(found.event) }}>
                {found.event}
              </Link>
            </dd>
          </>
        )}
      </dl>
      {found.body != null && (
        <section>
          <h3>As it was sent</h3>
          <Body text={found.body} />
        </section>
      )}
    </Panel>
  )
}

function Body({ text }: { text: string }) {
  try {
    return <Json value={JSON.parse(text)} label="what was sent" />
  } catch {
    return <Plain text={text} label="what was sent" />
  }
}
