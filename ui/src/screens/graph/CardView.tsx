import { memo, useState } from 'react'
import { EngineMark } from '../../design/EngineMark'
import { ENGINE_NAMES } from '../../design/engine'
import { ago, count, duration, middle, rate } from '../../design/format'
import { STATE_WORDS } from '../../design/run-state'
import { StateMark } from '../../design/StateMark'
import { useNow } from '../../design/When'
import { ROWS_SHOWN, type Card } from '../../graph/cards'
import { badges } from '../../graph/badges'
import type { Mark } from '../../graph/difference'
import { words } from '../../graph/figures'
import type { Column, GraphNode } from '../../graph/model'
import type { Detail } from './useCamera'

// What fits a card at its usual letter size.
const LETTERS = 21
const MARKS: Record<Mark, string> = { added: '+', removed: '−', changed: '~' }

export interface CardActions {
  select: (id: string) => void
  focus: (id: string) => void
  toggle: (id: string) => void
  trace: (id: string, column: string) => void
  unfold: (namespace: string) => void
}

interface Props {
  card: Card
  x: number
  y: number
  selected: boolean
  entry: boolean
  dim: boolean
  mark: Mark | undefined
  note: string | undefined
  lit: ReadonlySet<string> | undefined
  traced: string | null
  detail: Detail
  actions: CardActions
}

/** A job, a dataset or a folded namespace. Far away it is a coloured box with a name. */
export const CardView = memo(function CardView(props: Props) {
  const { card, x, y, selected, entry, dim, mark, note, detail, actions } = props
  const node = card.node
  const name = card.group ? card.group.namespace || '(no namespace)' : node!.name
  const open = () => (card.group ? actions.unfold(card.group.namespace) : actions.select(card.id))
  const label = (card.group ? groupLabel(card.group) : nodeLabel(node!)) + (mark ? `, ${mark}` : '')
  const shared = {
    'data-id': card.id,
    'data-kind': card.kind,
    'data-state': node?.kind === 'job' ? node.state : card.group?.failed ? 'failed' : undefined,
    'data-selected': selected || undefined,
    'data-dim': dim || undefined,
    'data-mark': mark,
    'data-stream': node?.streaming || undefined,
    // A transform of its own would cost each card a step in putting layers together, in every frame of a drag.
    style: { left: x, top: y, width: card.width, height: card.height },
  }
  if (detail === 'far') {
    return (
      <div className="card far" {...shared}>
        <button type="button" className="far-title" tabIndex={entry ? 0 : -1} aria-label={label} onClick={open}>
          <Cut name={name} letters={14} />
        </button>
      </div>
    )
  }
  return (
    <div className="card" {...shared} onDoubleClick={() => node && actions.focus(card.id)}>
      <div className="head" onClick={open}>
        {node?.kind === 'job' ? <StateMark state={node.state} /> : node ? <EngineMark engine={node.engine} /> : <span className="stacked" aria-hidden="true" />}
        <button
          type="button"
          className="title"
          tabIndex={entry ? 0 : -1}
          aria-label={label}
          aria-current={selected || undefined}
          title={name}
          onClick={(event) => {
            event.stopPropagation()
            open()
          }}
        >
          <Cut name={name} letters={letters(card, detail)} />
        </button>
        {node?.kind === 'job' && (
          <span className="engine" title={`${ENGINE_NAMES[node.engine]} ${node.streaming ? 'stream' : 'batch'}`}>
            <EngineMark engine={node.engine} size={14} />
            {node.streaming && <Wave />}
          </span>
        )}
        {mark && (
          <span className="change" data-mark={mark} title={mark} aria-hidden="true">
            {MARKS[mark]}
          </span>
        )}
        {node?.kind === 'dataset' && (
          <button
            type="button"
            className="toggle"
            tabIndex={-1}
            aria-label={card.rows && !card.partial ? `Hide the columns of ${node.name}` : `Show the columns of ${node.name}`}
            aria-expanded={card.rows !== null && !card.partial}
            onClick={(event) => {
              event.stopPropagation()
              actions.toggle(card.id)
            }}
          >
            <svg width="12" height="12" viewBox="0 0 12 12" fill="none" stroke="currentColor" strokeWidth="1.6" aria-hidden="true">
              <path d={card.rows && !card.partial ? 'M2.5 8 6 4.5 9.5 8' : 'M2.5 4.5 6 8l3.5-3.5'} />
            </svg>
          </button>
        )}
      </div>
      <div className="sub">{card.group ? <GroupLine card={card} /> : node!.kind === 'job' ? <JobLine node={node!} /> : <DatasetLine node={node!} />}</div>
      {note && <div className="note">{note}</div>}
      {card.rows && <Columns {...props} rows={card.rows} />}
      {node && node.more.in > 0 && <More side="in" count={node.more.in} focus={() => actions.focus(card.id)} />}
      {node && node.more.out > 0 && <More side="out" count={node.more.out} focus={() => actions.focus(card.id)} />}
    </div>
  )
})

/** A name cut in the middle where it must be. What is cut is for the eye only: the button's label has all of it. */
function Cut({ name, letters }: { name: string; letters: number }) {
  const text = middle(name, letters)
  return text === name ? name : <span className="cut-name" data-text={text} />
}

function letters(card: Card, detail: Detail): number {
  if (detail === 'middle') return 16
  return card.kind === 'job' && card.node?.streaming ? LETTERS - 3 : LETTERS
}

/** A job that never ends has a wave beside the mark of its engine. */
function Wave() {
  return (
    <svg className="mark" width="14" height="14" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.4" strokeLinecap="round" aria-hidden="true">
      <path d="M1.5 5.5c2-2 3.5-2 6.5 0s4.5 2 6.5 0M1.5 10.5c2-2 3.5-2 6.5 0s4.5 2 6.5 0" />
    </svg>
  )
}

function nodeLabel(node: GraphNode): string {
  if (node.kind === 'dataset') return `Dataset ${node.name}, ${ENGINE_NAMES[node.engine]}${node.dropped ? ', dropped' : ''}${badges(node, Date.now()).map(({ title }) => `, ${title}`).join('')}`
  return `Job ${node.name}, ${STATE_WORDS[node.state]}, ${ENGINE_NAMES[node.engine]} ${node.streaming ? 'stream' : 'batch'}`
}

function groupLabel(group: NonNullable<Card['group']>): string {
  return `Namespace ${group.namespace}, ${group.jobs} jobs and ${group.datasets} datasets. Open it`
}

function JobLine({ node }: { node: GraphNode }) {
  const now = useNow()
  return (
    <>
      <span className="state" data-state={node.state}>
        {jobWords(node, now)}
      </span>
      {node.figures && <span className="figures" title={words(node.figures)}>{short(node.figures)}</span>}
    </>
  )
}

function short(figures: NonNullable<GraphNode['figures']>): string {
  if (figures.rowsPerSecond !== undefined) return rate(figures.rowsPerSecond)
  return figures.lag === undefined ? '' : `lag ${count(figures.lag)}`
}

function jobWords(node: GraphNode, now: number): string {
  const word = STATE_WORDS[node.state]
  if (node.state === 'running' && node.startedAt) return `${word} ${duration(Math.max(0, now - Date.parse(node.startedAt)))}`
  return node.endedAt ? `${word} ${ago(node.endedAt, now)}` : word
}

function DatasetLine({ node }: { node: GraphNode }) {
  const now = useNow()
  return (
    <>
      <span className="cut" title={node.namespace}>
        {middle(node.namespace, 25)}
      </span>
      <span className="figures">
        {badges(node, now).map(({ label, title }) => (
          <span key={label} className="badge" data-tone="warn" title={title}>
            {label}
          </span>
        ))}
        {node.dropped ? 'dropped' : node.columns?.length ? `${count(node.columns.length)} cols` : ''}
      </span>
    </>
  )
}

function GroupLine({ card }: { card: Card }) {
  const { jobs, datasets, running, failed } = card.group!
  const parts = [jobs && many(jobs, 'job'), datasets && many(datasets, 'dataset')].filter(Boolean).join(', ')
  return (
    <>
      <span>{parts}</span>
      <span className="figures">
        {failed > 0 && <span className="state" data-state="failed">✕ {count(failed)}</span>}
        {running > 0 && <span className="state" data-state="running">● {count(running)}</span>}
      </span>
    </>
  )
}

function many(n: number, what: string): string {
  return `${count(n)} ${what}${n === 1 ? '' : 's'}`
}

function Columns({ card, rows, entry, lit, traced, actions }: Props & { rows: Column[] }) {
  const [filter, setFilter] = useState('')
  const shown = filter ? rows.filter((row) => row.name.toLowerCase().includes(filter.toLowerCase())) : rows
  return (
    <>
      {card.filter && (
        <input
          className="field filter"
          type="search"
          tabIndex={entry ? 0 : -1}
          placeholder={`Filter ${rows.length} columns`}
          aria-label={`Filter the columns of ${card.node!.name}`}
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      <ul className="columns" data-scroll={rows.length > ROWS_SHOWN || undefined} aria-label={`Columns of ${card.node!.name}`}>
        {shown.map((row) => (
          <li key={row.name}>
            <button
              type="button"
              className="column"
              tabIndex={entry ? 0 : -1}
              data-lit={lit?.has(row.name) || undefined}
              aria-pressed={traced === row.name}
              title="Light its path"
              onClick={() => actions.trace(card.id, row.name)}
            >
              <span className="cut">{row.name}</span> {row.tags.length > 0 && <TagDots tags={row.tags} />}
              <span className="type cut">{row.type}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  )
}

/** A dot for each tag of a column, by name for those who ask. */
function TagDots({ tags }: { tags: readonly string[] }) {
  return (
    <span className="tag-dots" title={tags.join(', ')}>
      {tags.slice(0, 3).map((tag) => (
        <span key={tag} aria-hidden="true" />
      ))}
      <span className="visually-hidden">tagged {tags.join(', ')}</span>
    </span>
  )
}

function More({ side, count: n, focus }: { side: 'in' | 'out'; count: number; focus: () => void }) {
  const words = `${n} more ${side === 'in' ? 'upstream' : 'downstream'}: focus here`
  return (
    <button type="button" className={`more ${side}`} tabIndex={-1} aria-label={words} title={words} onClick={focus}>
      +{count(n)}
    </button>
  )
}
