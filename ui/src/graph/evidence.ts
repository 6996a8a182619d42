/** How an edge is known and how a column is made, in words. */
import { absolute, ago } from '../design/format'
import type { Card, CardEdge } from './cards'
import type { Transformation } from './model'
import type { Scene, Strand } from './scene'

const HOW: Record<string, string> = {
  observed: 'observed in a run',
  declared: 'declared, not seen in a run yet',
  explicit: 'said by a lineage facet',
  columns: 'known from column lineage',
}
const VERBS: Record<string, string> = { read: 'Reads', write: 'Writes', link: 'Feeds' }

export interface Fact {
  what: string
  said: string
}

/** An edge or a stretch of a lit path at a card: what it is between, what is known of it, and the card at its other end. */
export interface Known {
  key: string
  title: string
  other: string
  facts: Fact[]
}

export function edgeFacts({ first, count }: Pick<CardEdge, 'first' | 'count'>, now: number): Fact[] {
  if (count > 1) return [{ what: `${count} edges`, said: 'between what is folded here' }]
  const facts = [{ what: VERBS[first.kind] ?? first.kind, said: HOW[first.how] ?? first.how }]
  if (first.at) facts.push({ what: 'Last seen', said: `${absolute(first.at)} (${ago(first.at, now)})` })
  if (first.producer) facts.push({ what: 'Reported by', said: first.producer })
  return facts
}

export function strandFacts(strand: Pick<Strand, 'flows'>): Fact[] {
  const facts = new Map<string, string>()
  for (const flow of strand.flows) {
    const said = flow.transformations.map(wording).join('; ') || (flow.direct ? 'direct' : 'indirect')
    facts.set(`${flow.from.column || 'all columns'} → ${flow.to.column || 'all columns'}`, said)
  }
  return [...facts].map(([what, said]) => ({ what, said }))
}

function wording({ type, subtype, description, masking }: Transformation): string {
  return [type?.toLowerCase(), subtype?.toLowerCase().replaceAll('_', ' '), description, masking ? 'masked' : ''].filter(Boolean).join(' · ')
}

/** Everything that meets a card: the stretches of a lit path first, then its edges, what comes in before what goes out. */
export function known(scene: Pick<Scene, 'cards' | 'edges' | 'strands'>, id: string, now: number): Known[] {
  const found: Known[] = []
  for (const strand of scene.strands) {
    if (strand.from !== id && strand.to !== id) continue
    found.push({ key: strand.key, title: title(scene.cards, strand), other: strand.from === id ? strand.to : strand.from, facts: strandFacts(strand) })
  }
  for (const end of ['to', 'from'] as const) {
    for (const { key, edge } of scene.edges) {
      if (edge[end] !== id) continue
      found.push({ key, title: title(scene.cards, edge), other: end === 'to' ? edge.from : edge.to, facts: edgeFacts(edge, now) })
    }
  }
  return found
}

function title(cards: ReadonlyMap<string, Card>, { from, to }: { from: string; to: string }): string {
  return `${nameOf(cards.get(from))} → ${nameOf(cards.get(to))}`
}

/** What a card is called. */
export function nameOf(card: Card | undefined): string {
  return card?.group ? card.group.namespace || '(no namespace)' : (card?.node?.name ?? '')
}
