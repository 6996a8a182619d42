/** What the page draws for a view: from the server's answers to cards in their places. */
import type { Schema } from '../api/types'
import { deck as deal, type Deck } from './cards'
import { difference, type Difference } from './difference'
import { layout, type Layout } from './layout'
import { model, type Flow, type Model } from './model'
import { boxesOf, linksOf } from './scene'
import type { Shown } from './view'

type Answer = Schema<'Graph'>

export interface Answers {
  graph: Answer
  /** The columns of datasets that were opened in a graph too large to bring all of them. */
  opened: readonly Answer[]
  /** The path of the chosen column. */
  path: Answer | null
  changes: Schema<'GraphDiff'> | null
}

export interface Drawing {
  deck: Deck
  layout: Layout
  lit: Flow[]
  diff: Difference | null
  /** How many jobs and datasets are known of, drawn or not. */
  size: number
  truncated: boolean
  /** Opened datasets whose columns are still to be asked for. */
  missing: string[]
}

/** The drawing of a view. Boxes that `last` had in the same sizes with the same links stay exactly where they were. */
export function drawing(answers: Answers, view: Shown, last: Drawing | null = null): Drawing {
  const graph = joined(answers)
  const lit = answers.path ? model(answers.path).flows : []
  const deck = deal(graph, view, lit)
  return {
    deck: { ...deck, cardOf: mentioned(deck, view, lit) },
    layout: last && sameShape(deck, last.deck) ? last.layout : layout(boxesOf(deck), linksOf(deck), last?.layout.places),
    lit,
    diff: answers.changes ? difference(answers.changes) : null,
    size: graph.nodes.size,
    truncated: answers.graph.truncated,
    missing: missing(answers.graph, view.open),
  }
}

function joined({ graph, opened, path, changes }: Answers): Model {
  const answers = [graph, ...opened]
  if (path) answers.push(path)
  // What is gone is drawn too, where it was.
  if (changes) answers.push({ ...graph, ...changes.removed })
  return model(...answers)
}

/** Of ten thousand nodes behind a few cards, only those that a reader has named. */
function mentioned(deck: Deck, view: Shown, lit: readonly Flow[]): Map<string, string> {
  const ids = [view.node, view.selected, ...lit.flatMap((flow) => [flow.from.dataset, flow.to.dataset, flow.job])]
  const found = new Map<string, string>()
  for (const id of ids) {
    const card = id === null ? undefined : deck.cardOf.get(id)
    if (card !== undefined) found.set(id!, card)
  }
  return found
}

function sameShape(a: Deck, b: Deck): boolean {
  if (a.cards.size !== b.cards.size || a.edges.length !== b.edges.length) return false
  for (const card of a.cards.values()) if (b.cards.get(card.id)?.height !== card.height) return false
  return a.edges.every((edge, i) => edge.from === b.edges[i]!.from && edge.to === b.edges[i]!.to)
}

function missing(answer: Answer, open: readonly string[]): string[] {
  if (open.length === 0) return []
  const bare = new Set(answer.nodes.filter((node) => node.columns === undefined).map((node) => node.id))
  return open.filter((id) => bare.has(id))
}
