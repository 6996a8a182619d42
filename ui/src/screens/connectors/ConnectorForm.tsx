import { useId, useState } from 'react'
import { Dialog } from '../../shell/Dialog'
import { useSave, validate } from './api'
import { parsePasted } from './pasted'
import type { ConnectorDetail, Validation } from './types'

const EXAMPLE = `{
  "name": "orders-source",
  "config": {
    "connector.class": "…",
    "tasks.max": "1"
  }
}`

interface Props {
  clusters: string[]
  edited?: ConnectorDetail
  close: () => void
}

/** Make a connector from pasted JSON, or change one. The worker judges the settings first, key by key. */
export function ConnectorForm({ clusters, edited, close }: Props) {
  const field = useId()
  const [cluster, setCluster] = useState(clusters[0] ?? '')
  const [text, setText] = useState(edited ? JSON.stringify({ name: edited.name, config: edited.config }, null, 2) : '')
  const [problem, setProblem] = useState('')
  const [judged, setJudged] = useState<Validation['errors'] | null>(null)
  const [busy, setBusy] = useState(false)
  const save = useSave()

  const submit = async (andSave: boolean) => {
    setProblem('')
    setJudged(null)
    setBusy(true)
    try {
      const { name, config } = parsePasted(text)
      if (edited && name !== edited.name) throw new Error(`The name of a connector stays: ${edited.name}. To rename it, make a new one.`)
      const { errors } = await validate(cluster, name, config)
      setJudged(errors)
      if (errors.length > 0 || !andSave) return
      await save.mutateAsync({ cluster, name, config })
      close()
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error))
    } finally {
      setBusy(false)
    }
  }

  return (
    <Dialog label={edited ? `Edit ${edited.name}` : 'New connector'} close={close} className="connector-form">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          void submit(true)
        }}
      >
        <h2>{edited ? `Edit ${edited.name}` : 'New connector'}</h2>
        {clusters.length > 1 && (
          <label className="row">
            Cluster
            <select className="field" value={cluster} onChange={(event) => setCluster(event.target.value)}>
              {clusters.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          </label>
        )}
        <label htmlFor={field}>{edited ? 'Settings as JSON. A hidden secret that you leave as it is stays as it is.' : 'Its JSON, as for Connect’s own API'}</label>
        <textarea
          id={field}
          className="field"
          rows={16}
          spellCheck={false}
          placeholder={EXAMPLE}
          value={text}
          autoFocus
          aria-describedby={`${field}-problems`}
          aria-invalid={problem !== '' || (judged?.length ?? 0) > 0}
          onChange={(event) => setText(event.target.value)}
        />
        <div id={`${field}-problems`} role="status">
          {problem && <p className="error-text">{problem}</p>}
          {judged && judged.length === 0 && <p>The worker finds nothing wrong with it.</p>}
          {judged && judged.length > 0 && (
            <dl className="problems">
              {judged.map(({ key, messages }) => (
                <div key={key}>
                  <dt>
                    <code>{key}</code>
                  </dt>
                  {messages.map((message) => (
                    <dd key={message} className="error-text">
                      {message}
                    </dd>
                  ))}
                </div>
              ))}
            </dl>
          )}
        </div>
        <div className="row end">
          <button type="button" className="button" onClick={close}>
            Cancel
          </button>
          <button type="button" className="button" disabled={busy || !text.trim()} onClick={() => void submit(false)}>
            Check
          </button>
          <button type="submit" className="button primary" disabled={busy || !text.trim()}>
            {edited ? 'Save' : 'Create'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
