import { Code } from '../../design/Code'

export interface Source {
  label: string
  text: string
  link: string | null
}

interface Facets {
  sql?: { query?: unknown; dialect?: unknown }
  sourceCode?: { language?: unknown; sourceCode?: unknown }
  sourceCodeLocation?: { url?: unknown; repoUrl?: unknown; path?: unknown; version?: unknown }
}

/** The code that some facets hold or point to. */
export function sourcesIn(facets: unknown): Source[] {
  const { sql, sourceCode, sourceCodeLocation } = (facets ?? {}) as Facets
  const found: Source[] = []
  if (typeof sql?.query === 'string') found.push({ label: 'SQL', text: sql.query, link: null })
  if (typeof sourceCode?.sourceCode === 'string') {
    found.push({ label: typeof sourceCode.language === 'string' ? sourceCode.language : 'Source', text: sourceCode.sourceCode, link: null })
  }
  const url = sourceCodeLocation?.url ?? sourceCodeLocation?.repoUrl
  if (typeof url === 'string') found.push({ label: 'Where it is', text: url, link: isWeb(url) ? url : null })
  return found
}

/** Only what a browser would open as a page: a name from an event must not become a script. */
function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url)
}

export function SourceCode({ sources }: { sources: Source[] }) {
  if (sources.length === 0) {
    return <p className="muted">No event carried SQL or source code for this job. The facets sql, sourceCode and sourceCodeLocation would show here.</p>
  }
  return (
    <div className="stack">
      {sources.map(({ label, text, link }) => (
        <section key={label} className="stack">
          <h2>{label}</h2>
          {link ? (
            <a href={link} rel="noreferrer noopener" target="_blank">
              {link}
            </a>
          ) : (
            <Code text={text} label={label} />
          )}
        </section>
      ))}
    </div>
  )
}
