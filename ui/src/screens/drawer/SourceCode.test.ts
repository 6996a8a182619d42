import { expect, test } from 'vitest'
import { sourcesIn } from './SourceCode'

test('SQL, code and its place are found', () => {
  const found = sourcesIn({
    sql: { query: 'SELECT 1' },
    sourceCode: { language: 'python', sourceCode: 'print(1)' },
    sourceCodeLocation: { url: 'https://example.com/job.py' },
  })
  expect(found.map(({ label }) => label)).toEqual(['SQL', 'python', 'Where it is'])
  expect(found[2]!.link).toBe('https://example.com/job.py')
})

test('a place that is not a web page is never a link', () => {
  expect(sourcesIn({ sourceCodeLocation: { url: 'javascript:alert(1)' } })[0]!.link).toBeNull()
})

test('facets of another shape are no source', () => {
  expect(sourcesIn(null)).toEqual([])
  expect(sourcesIn({ sql: { query: 7 }, sourceCode: {} })).toEqual([])
})
