import { describe, expect, test } from 'vitest'
import { layout, RANK_GAP, type Box, type Link } from './layout'

const box = (id: string, height = 52): Box => ({ id, width: 200, height, port: 26 })
const boxes = (...ids: string[]) => ids.map((id) => box(id))
const links = (...pairs: string[]): Link[] => pairs.map((pair) => ({ from: pair.split('>')[0]!, to: pair.split('>')[1]! }))

/** Many cards in layers of 50, each fed by two of the layer before. */
function layered(layers: number, width = 50): { boxes: Box[]; links: Link[] } {
  const all: Box[] = []
  const edges: Link[] = []
  for (let layer = 0; layer < layers; layer++) {
    for (let i = 0; i < width; i++) {
      all.push(box(`${layer}.${i}`))
      if (layer) edges.push({ from: `${layer - 1}.${i}`, to: `${layer}.${i}` }, { from: `${layer - 1}.${(i * 7 + 1) % width}`, to: `${layer}.${i}` })
    }
  }
  return { boxes: all, links: edges }
}

describe('layout', () => {
  test('data flows from left to right', () => {
    const { places } = layout(boxes('a', 'load', 'b'), links('a>load', 'load>b'))
    expect(places.get('a')!.x).toBe(0)
    expect(places.get('load')!.x).toBe(200 + RANK_GAP)
    expect(places.get('b')!.x).toBe(2 * (200 + RANK_GAP))
    expect(new Set([...places.values()].map((p) => p.y)).size).toBe(1)
  })

  test('nothing overlaps', () => {
    const { boxes: all, links: edges } = layered(6, 12)
    const { places } = layout(all, edges)
    for (const a of all) {
      for (const b of all) {
        if (a.id >= b.id) continue
        const p = places.get(a.id)!
        const q = places.get(b.id)!
        const apart = p.x + a.width <= q.x || q.x + b.width <= p.x || p.y + a.height <= q.y || q.y + b.height <= p.y
        expect(apart, `${a.id} and ${b.id}`).toBe(true)
      }
    }
  })

  test('a cycle is drawn, not an endless loop', () => {
    const { places } = layout(boxes('a', 'b', 'c'), links('a>b', 'b>c', 'c>a', 'a>a'))
    expect(places.size).toBe(3)
  })

  test('a source lies beside what it feeds, not at the far left', () => {
    const { places } = layout(boxes('a', 'b', 'c', 'late'), links('a>b', 'b>c', 'late>c'))
    expect(places.get('late')!.x).toBe(places.get('b')!.x)
  })

  test('a long edge has a bend in every rank it passes', () => {
    const { bends } = layout(boxes('a', 'b', 'c', 'd'), links('a>b', 'b>c', 'c>d', 'a>d'))
    expect(bends.get(3)).toHaveLength(2)
    expect(bends.get(0)).toBeUndefined()
  })

  test('crossings that can be avoided are', () => {
    const { places } = layout(boxes('a', 'b', 'x', 'y'), links('a>y', 'b>x', 'a>b'))
    expect(places.size).toBe(4)
    const straight = layout(boxes('a', 'b', 'x', 'y', 'r'), links('r>a', 'r>b', 'a>y', 'b>x')).places
    expect(Math.sign(straight.get('a')!.y - straight.get('b')!.y)).toBe(Math.sign(straight.get('y')!.y - straight.get('x')!.y))
  })

  test('the same graph is always drawn the same', () => {
    const { boxes: all, links: edges } = layered(5, 10)
    expect(layout(all, edges)).toEqual(layout(all, edges))
  })

  test('a card that grows moves those above it nowhere and keeps the order', () => {
    const ids = ['a', 'j', 'b', 'c', 'd']
    const edges = links('a>j', 'j>b', 'j>c', 'j>d')
    const first = layout(boxes(...ids), edges).places
    const grown = ids.map((id) => box(id, id === 'c' ? 300 : 52))
    const second = layout(grown, edges, first).places
    const order = (places: Map<string, { y: number }>) => ['b', 'c', 'd'].sort((p, q) => places.get(p)!.y - places.get(q)!.y)
    expect(order(second)).toEqual(order(first))
    expect(second.get('a')!.x).toBe(first.get('a')!.x)
  })

  test('laying out again what did not change moves nothing', () => {
    const { boxes: all, links: edges } = layered(4, 8)
    const first = layout(all, edges).places
    const second = layout(all, edges, first).places
    const moved = [...first].map(([id, p]) => Math.abs(second.get(id)!.y - p.y))
    expect(Math.max(...moved)).toBeLessThan(20)
  })

  test('parts that nothing connects do not overlap', () => {
    const { places } = layout(boxes('a', 'b', 'lonely', 'other'), links('a>b'))
    expect(new Set([...places.values()].map((p) => `${p.x},${p.y}`)).size).toBe(4)
  })

  test('a tangle in which everything feeds everything is a page, not a line', () => {
    const ids = [...Array(40).keys()].map(String)
    const edges = ids.flatMap((from) => ids.filter((to) => to !== from).map((to) => ({ from, to })))
    const { places, width, height } = layout(boxes(...ids), edges)
    expect(new Set([...places.values()].map((p) => `${p.x},${p.y}`)).size).toBe(40)
    expect(width / height).toBeLessThan(6)
  })

  test('an empty graph has no size', () => {
    expect(layout([], [])).toEqual({ places: new Map(), bends: new Map(), width: 0, height: 0 })
  })
})
