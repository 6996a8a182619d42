import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useId, useState, type KeyboardEvent } from 'react'
import { get } from '../api/client'
import type { FoundThing, FoundThings } from '../api/types'
import { middle } from '../design/format'
import { Dialog } from './Dialog'
import { toNode } from './to-node'
import { placeOf } from './places'
import { go } from './url'

const KIND_WORDS: Record<string, string> = { job: 'Job', dataset: 'Dataset', column: 'Column', tag: 'Tag' }

/** Finds anything that has a name, with the keyboard alone. */
export function Search({ close }: { close: () => void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const list = useId()
  const query = text.trim()
  const { data, error, isFetching } = useQuery({
    queryKey: ['search', query],
    queryFn: ({ signal }) => get<FoundThings>('/api/v2/search', { q: query, limit: 30 }, signal),
    enabled: query !== '',
    placeholderData: keepPreviousData,
  })
  const results = query === '' ? [] : (data?.results ?? [])
  const current = Math.min(at, Math.max(0, results.length - 1))

  const open = (found: FoundThing | undefined, focus: boolean) => {
    if (!found) return
    follow(found, focus)
    close()
  }
  const pressed = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(Math.min(current + 1, results.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(current - 1, 0))
    else if (event.key === 'Enter') open(results[current], true)
    else return
    event.preventDefault()
  }
  return (
    <Dialog label="Search" close={close} className="search">
      <input
        type="search"
        className="field"
        autoFocus
        role="combobox"
        aria-label="Search jobs, datasets, columns and tags"
        aria-expanded={results.length > 0}
        aria-controls={list}
        aria-activedescendant={results.length ? `${list}-${current}` : undefined}
        placeholder="Part of a name"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={pressed}
      />
      <div id={list} role="listbox" aria-label="Found" className="found">
        {results.map((found, i) => (
          <div
            key={`${found.kind}${found.nodeId ?? found.name}`}
            id={`${list}-${i}`}
            role="option"
            aria-selected={i === current}
            className="one"
            ref={i === current ? (element) => element?.scrollIntoView({ block: 'nearest' }) : undefined}
            onPointerMove={() => setAt(i)}
            onClick={() => open(found, true)}
          >
            <span className="kind">{KIND_WORDS[found.kind] ?? found.kind}</span>
            <span className="name cut" title={found.name}>
              {found.column ? (
                <>
                  {found.column} <span className="muted">in {middle(found.name, 50)}</span>
                </>
              ) : (
                middle(found.name, 70)
              )}
            </span>
            <span className="muted cut">{found.namespace}</span>
          </div>
        ))}
      </div>
      <p className="muted hint" role="status">
        {error ? error.message : query === '' ? 'Type a part of any name; % stands for anything.' : results.length === 0 && !isFetching ? `Nothing has “${query}” in its name.` : '↑ ↓ to choose, Enter to open'}
      </p>
    </Dialog>
  )
}

/** A job or dataset opens in the graph, a column lights its path, a tag lists what has it. */
function follow(found: FoundThing, focus: boolean): void {
  if (found.kind === 'tag' || !found.nodeId) return go({ place: 'datasets', set: { tag: found.name } })
  if (found.kind === 'column' && found.column) {
    const dataset = datasetOf(found.nodeId)
    return go({ place: '', set: { node: dataset, sel: dataset, column: found.column } })
  }
  const inGraph = placeOf(location.pathname) === ''
  if (inGraph && !focus) return go({ set: { sel: found.nodeId, drawer: 'about' } })
  go({ place: '', set: toNode(found.nodeId) })
}

function datasetOf(field: string): string {
  return field.replace(/^datasetField:/, 'dataset:').replace(/:[^:]*$/, '')
}
