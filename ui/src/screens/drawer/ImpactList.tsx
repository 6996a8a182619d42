import { useQuery } from '@tanstack/react-query'
import { address, get } from '../../api/client'
import type { Impact } from '../../api/types'
import { Failed, Loading } from '../../design/states'
import { NodeButton } from './About'

/** Everything downstream, by who answers for it. */
export function ImpactList({ id }: { id: string }) {
  const query = useQuery({ queryKey: ['live', 'impact', id], queryFn: ({ signal }) => get<Impact>('/api/v2/impact', { node: id }, signal) })
  if (query.error) return <Failed error={query.error} what="what depends on this" retry={() => void query.refetch()} />
  if (!query.data) return <Loading />
  const { affected, truncated } = query.data
  if (affected.length === 0) return <p className="muted">Nothing depends on this, as far as events say.</p>
  const byOwner = grouped(affected)
  return (
    <div className="stack">
      <div className="row">
        <span className="grow">
          {affected.length}
          {truncated ? ' or more' : ''} downstream
        </span>
        <a className="button" href={address('/api/v2/impact', { node: id, format: 'csv' })} download>
          CSV
        </a>
      </div>
      {[...byOwner].map(([owner, list]) => (
        <section key={owner}>
          <h2>{owner}</h2>
          <ul className="plain">
            {list.map((one) => (
              <li key={one.id} className="row">
                <span className="grow cut">
                  <NodeButton id={one.id} />
                </span>
                <span className="muted">
                  {one.kind}, {one.distance} {one.distance === 1 ? 'step' : 'steps'}
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  )
}

type Affected = Impact['affected'][number]

function ownersOf(one: Affected): string {
  return one.owners?.map((owner) => owner.name).join(', ') || 'No owner named'
}

function grouped(affected: readonly Affected[]): Map<string, Affected[]> {
  const found = new Map<string, Affected[]>()
  for (const one of affected) {
    const owner = ownersOf(one)
    found.set(owner, [...(found.get(owner) ?? []), one])
  }
  return found
}
