import { useEffect, useState } from 'react'

/** Copies a text and says so for a moment. */
export function CopyButton({ text, what, label = '' }: { text: string; what: string; label?: string }) {
  const [said, setSaid] = useState<'copied' | 'failed' | null>(null)
  useEffect(() => {
    if (!said) return
    const timer = setTimeout(() => setSaid(null), 1_500)
    return () => clearTimeout(timer)
  }, [said])
  const copy = () => copyText(text).then(() => setSaid('copied'), () => setSaid('failed'))
  return (
    <button type="button" className={label ? 'button' : 'button quiet icon'} onClick={copy} aria-label={label ? undefined : `Copy ${what}`} title={`Copy ${what}`}>
      <svg className="mark" width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.3" aria-hidden="true">
        {said === 'copied' ? <path d="M2.5 7.5 5.8 11 11.5 3.5" /> : <path d="M4.5 4.5h7v7h-7zM9.5 4.5v-2h-7v7h2" />}
      </svg>
      {label}
      <span className="visually-hidden" role="status">
        {said === 'copied' ? 'Copied' : said === 'failed' ? 'Could not copy' : ''}
      </span>
    </button>
  )
}

/** The clipboard is only there on a secure page; elsewhere a selection does it. */
async function copyText(text: string): Promise<void> {
  if (navigator.clipboard) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  const done = document.execCommand('copy')
  area.remove()
  if (!done) throw new Error('the browser does not allow copying')
}
