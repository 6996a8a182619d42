import { expect, test } from 'vitest'
import { code, json } from './highlight'

const joined = (tokens: { text: string }[]) => tokens.map((t) => t.text).join('')
const sorts = (tokens: { text: string; sort: string }[], sort: string) => tokens.filter((t) => t.sort === sort).map((t) => t.text)

test('words, texts, numbers and comments of SQL are told apart', () => {
  const sql = "SELECT sum(price) -- total\nFROM orders WHERE item = 'it''s' AND n > 10"
  const found = code(sql)
  expect(joined(found)).toBe(sql)
  expect(sorts(found, 'word')).toEqual(['SELECT', 'FROM', 'WHERE', 'AND'])
  expect(sorts(found, 'text')).toEqual(["'it''s'"])
  expect(sorts(found, 'comment')).toEqual(['-- total'])
  expect(sorts(found, 'number')).toEqual(['10'])
})

test('keys and values of JSON are told apart, markup stays text', () => {
  const text = '{"a<b>": "<script>", "n": -1.5, "t": true}'
  const found = json(text)
  expect(joined(found)).toBe(text)
  expect(sorts(found, 'key')).toEqual(['"a<b>":', '"n":', '"t":'])
  expect(sorts(found, 'text')).toEqual(['"<script>"'])
  expect(sorts(found, 'number')).toEqual(['-1.5'])
})
