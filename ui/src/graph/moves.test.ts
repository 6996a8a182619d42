import { expect, test } from 'vitest'
import { deck } from './cards'
import { layout } from './layout'
import { model } from './model'
import { first, neighbour } from './moves'
import { INGEST, ORDERS, SAMPLE, TABLE } from './sample'
import { boxesOf, linksOf, scene } from './scene'
import { parseView } from './view'

const cards = deck(model(SAMPLE), parseView(''))
const drawn = scene(cards, layout(boxesOf(cards), linksOf(cards)))

test('arrows follow the edges', () => {
  expect(neighbour(drawn, ORDERS, 'ArrowRight')).toBe(INGEST)
  expect(neighbour(drawn, TABLE, 'ArrowLeft')).toBe(INGEST)
  expect(neighbour(drawn, ORDERS, 'ArrowLeft')).toBeNull()
  expect(neighbour(drawn, ORDERS, 'ArrowDown')).toBeNull()
})

test('the keyboard enters at the top left', () => expect(first(drawn)).toBe(ORDERS))
