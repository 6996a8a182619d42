/** Says that more has happened than a long list shows. */
export function Behind({ behind, refresh }: { behind: boolean; refresh: () => void }) {
  if (!behind) return null
  return (
    <button type="button" className="button" onClick={refresh}>
      Newer rows – show them
    </button>
  )
}
