import { useMemo } from 'react'
import { CopyButton } from './CopyButton'
import { code, json, type Token } from './highlight'

// Beyond this, colours cost more than they help.
const MOST = 60_000

/** Source code or SQL, coloured a little, with a copy button. */
export function Code({ text, label }: { text: string; label: string }) {
  const parts = useMemo(() => (text.length > MOST ? [{ text, sort: 'plain' } as Token] : code(text)), [text])
  return <Block parts={parts} text={text} label={label} />
}

/** Any value as JSON. */
export function Json({ value, label }: { value: unknown; label: string }) {
  const text = useMemo(() => JSON.stringify(value, null, 2) ?? 'null', [value])
  const parts = useMemo(() => (text.length > MOST ? [{ text, sort: 'plain' } as Token] : json(text)), [text])
  return <Block parts={parts} text={text} label={label} />
}

/** Output of a program, as it is. */
export function Plain({ text, label }: { text: string; label: string }) {
  return <Block parts={[{ text, sort: 'plain' }]} text={text} label={label} />
}

function Block({ parts, text, label }: { parts: Token[]; text: string; label: string }) {
  return (
    <div className="code">
      {/* A region that scrolls must be reachable by keyboard. */}
      <pre tabIndex={0} role="region" aria-label={label}>
        {parts.map((part, i) => (part.sort === 'plain' ? part.text : <span key={i} className={`tok-${part.sort}`}>{part.text}</span>))}
      </pre>
      <CopyButton text={text} what={label} />
    </div>
  )
}
