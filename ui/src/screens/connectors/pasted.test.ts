import { expect, test } from 'vitest'
import { parsePasted } from './pasted'

const CLASS = 'org.example.Sink'

test('a connector with its settings inside, or beside its name', () => {
  const expected = { name: 'a', config: { name: 'a', 'connector.class': CLASS, 'tasks.max': '2', deep: 'true' } }
  expect(parsePasted(`{"name":"a","config":{"connector.class":"${CLASS}","tasks.max":2,"deep":true}}`)).toEqual(expected)
  expect(parsePasted(`{"name":"a","connector.class":"${CLASS}","tasks.max":"2","deep":true,"none":null}`)).toEqual(expected)
})

test.each([
  ['{', 'not JSON'],
  ['[]', 'Expected an object'],
  [`{"config":{"connector.class":"${CLASS}"}}`, 'no name'],
  ['{"name":"a","config":{}}', 'no connector.class'],
  [`{"name":"a","config":{"connector.class":"${CLASS}","x":[1]}}`, 'x is not a plain value'],
])('%s is refused with a reason', (text, reason) => {
  expect(() => parsePasted(text)).toThrow(reason)
})
