import type { DatasetDetail, Schema } from '../../api/types'
import { When } from '../../design/When'
import { go } from '../../shell/url'

interface Field {
  name: string
  type?: string | null
  fields?: Field[] | null
}

/** The columns now, and how they came to be: what changed, when, by which run. */
export function SchemaHistory({ dataset }: { dataset: DatasetDetail }) {
  const columns = (Array.isArray(dataset.columns) ? dataset.columns : []) as Field[]
  return (
    <div className="stack">
      {columns.length === 0 ? (
        <p className="muted">No event has said which columns this dataset has.</p>
      ) : (
        <table className="table">
          <thead>
            <tr>
              <th scope="col">Column</th>
              <th scope="col">Type</th>
            </tr>
          </thead>
          <tbody>{flat(columns).map(([name, type, depth]) => (
            <tr key={name}>
              <td style={{ paddingLeft: 12 + depth * 16 }}>
                <button type="button" className="link" title="Light its path in the graph" onClick={() => go({ set: { sel: dataset.id, column: name, trace: null } })}>
                  {name}
                </button>
              </td>
              <td className="mono">{type}</td>
            </tr>
          ))}</tbody>
        </table>
      )}
      {dataset.schemas.length > 0 && (
        <section className="stack">
          <h2>History</h2>
          <ol className="plain stack">
            {dataset.schemas.map((version, i) => (
              <li key={i} className="entry">
                <div className="row">
                  <strong>version {dataset.schemas.length - i}</strong>
                  <span className="grow" />
                  <When at={version.since} />
                </div>
                <Changes changes={version.changes} />
                {version.run && <div className="muted mono cut">run {version.run}</div>}
              </li>
            ))}
          </ol>
        </section>
      )}
    </div>
  )
}

function Changes({ changes }: { changes: Schema<'SchemaDiff'> }) {
  const lines = [
    ...changes.added.map((name) => ['added', `+ ${name}`] as const),
    ...changes.removed.map((name) => ['removed', `− ${name}`] as const),
    ...changes.changed.map((one) => ['changed', `${one.name}: ${one.from ?? '?'} → ${one.to ?? '?'}`] as const),
  ]
  if (lines.length === 0) return <p className="muted">The same columns, seen anew.</p>
  return (
    <ul className="plain changes">
      {lines.map(([how, text]) => (
        <li key={text} data-how={how}>
          {text}
        </li>
      ))}
    </ul>
  )
}

function flat(fields: Field[], before = '', depth = 0): [string, string, number][] {
  return fields.flatMap((field) => {
    const name = before + field.name
    return [[name, field.type ?? '', depth] as [string, string, number], ...flat(field.fields ?? [], `${name}.`, depth + 1)]
  })
}
