import { Link } from '../../shell/Link'
import type { Place } from '../../shell/places'
import { useParam } from '../../shell/url'

/** The tag that a list is narrowed to: a click takes it away, and a link leads to what else has it. */
export function TagChip({ other, what }: { other: Place; what: string }) {
  const [tag, setTag] = useParam('tag')
  if (!tag) return null
  return (
    <>
      <button type="button" className="button" onClick={() => setTag(null)}>
        Tag {tag} ✕<span className="visually-hidden">: show all</span>
      </button>
      <Link place={other} params={{ tag }}>
        {what} with it
      </Link>
    </>
  )
}
