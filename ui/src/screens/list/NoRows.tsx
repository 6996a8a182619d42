import { Empty } from '../../design/states'
import { Link } from '../../shell/Link'
import type { Place } from '../../shell/places'
import { useLocation } from '../../shell/url'

const NOT_FILTERS = ['sort', 'run', 'event', 'connector']

/** Why a list is empty: nothing was sent yet, or nothing passes the filters. */
export function NoRows({ place, what }: { place: Place; what: string }) {
  const { search } = useLocation()
  const params = new URLSearchParams(search)
  for (const name of NOT_FILTERS) params.delete(name)
  if (params.size === 0) {
    return (
      <Empty title={`No ${what} yet`}>
        They appear here as soon as events arrive. <Link place="">The graph</Link> says how to send the first one.
      </Empty>
    )
  }
  return (
    <Empty title={`No ${what} match these filters`}>
      <Link place={place}>Clear the filters</Link> to see all of them.
    </Empty>
  )
}
