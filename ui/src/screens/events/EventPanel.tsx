import { useQuery } from '@tanstack/react-query'
import { get, path } from '../../api/client'
import { Json } from '../../design/Code'
import { Failed, Loading } from '../../design/states'
import { Panel } from '../list/Panel'

/** One event as it was sent. */
export function EventPanel({ id, close }: { id: string; close: () => void }) {
  const query = useQuery({
    queryKey: ['event', id],
    queryFn: ({ signal }) => get<unknown>(path`/api/v2/events/${id}`, {}, signal),
    staleTime: Infinity,
  })
  return (
    <Panel title={`Event ${id}`} close={close}>
      {query.data ? (
        <div className="tall">
          <Json value={query.data} label="the event as it was sent" />
        </div>
      ) : query.error ? (
        <Failed error={query.error} what="this event" retry={() => void query.refetch()} />
      ) : (
        <Loading what="Loading the event" />
      )}
    </Panel>
  )
}
