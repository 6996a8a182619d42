/** How high each card lies, under the order of its rank. */
import type { Item } from './ranks'

export const BOX_GAP = 18
const DUMMY_GAP = 10

/** Heights: each rank in turn is put where its neighbours pull it, as near as its order and gaps allow. */
export function settle(items: Item[], layers: number[][], isKnown: boolean): void {
  for (const layer of layers) {
    let y = 0
    layer.forEach((i, place) => {
      const item = items[i]!
      if (place) y += gap(items[layer[place - 1]!]!, item)
      item.y = y
    })
    const middle = y / 2
    for (const i of layer) items[i]!.y -= middle
  }
  if (isKnown) for (const item of items) if (item.box && Number.isFinite(item.key)) item.y = item.key
  const rounds = items.length > 3_000 ? 6 : 14
  const ranks = [...layers.keys()]
  for (let round = 0; round < rounds; round++) {
    const down = round % 2 === 0
    for (const at of down ? ranks : [...ranks].reverse()) place(items, layers[at]!, down ? 'before' : 'after')
  }
  for (const at of ranks) place(items, layers[at]!, 'both')
  for (const at of [...ranks].reverse()) place(items, layers[at]!, 'both')
}

function gap(above: Item, below: Item): number {
  return above.below + below.above + (above.box && below.box ? BOX_GAP : DUMMY_GAP)
}

function place(items: Item[], layer: number[], side: 'before' | 'after' | 'both'): void {
  // Least squares with a fixed order and least gaps is isotonic regression once the gaps are taken out.
  const blocks: { sum: number; weight: number; count: number }[] = []
  const offsets: number[] = []
  let offset = 0
  layer.forEach((i, at) => {
    const item = items[i]!
    if (at) offset += gap(items[layer[at - 1]!]!, item)
    offsets.push(offset)
    const near = side === 'both' ? [...item.before, ...item.after] : item[side]
    let pull = 0
    let weight = 0
    for (const other of near) {
      // A long edge is straightened before a card is centred.
      const w = !item.box && !items[other]!.box ? 8 : 1
      pull += w * items[other]!.y
      weight += w
    }
    const wanted = weight ? pull / weight : item.y
    const w = weight || 0.5
    blocks.push({ sum: (wanted - offset) * w, weight: w, count: 1 })
    while (blocks.length > 1) {
      const last = blocks[blocks.length - 1]!
      const earlier = blocks[blocks.length - 2]!
      if (earlier.sum / earlier.weight <= last.sum / last.weight) break
      blocks.pop()
      earlier.sum += last.sum
      earlier.weight += last.weight
      earlier.count += last.count
    }
  })
  let at = 0
  for (const block of blocks) {
    const base = block.sum / block.weight
    for (let n = 0; n < block.count; n++, at++) items[layer[at]!]!.y = base + offsets[at]!
  }
}
