import { expect, test } from 'vitest'
import { badges } from './badges'

const NOW = Date.parse('2026-01-02T00:00:00Z')
const plain = { tags: [], columns: [], schemaChangedAt: null }
const column = (name: string, ...tags: string[]) => ({ name, type: 'string', tags })

test('a dataset of which nothing matters now has none', () => {
  expect(badges({ ...plain, tags: ['GOLD'], schemaChangedAt: '2025-12-01T00:00:00Z' }, NOW)).toEqual([])
})

test('personal data is said, with the columns that hold it', () => {
  expect(badges({ ...plain, columns: [column('id'), column('mail', 'PII')] }, NOW)).toEqual([{ label: 'PII', title: 'personal data in mail' }])
  expect(badges({ ...plain, tags: ['gdpr-pii'] }, NOW)[0]!.title).toBe('tagged as personal data')
})

test('columns that changed today are said', () => {
  expect(badges({ ...plain, schemaChangedAt: '2026-01-01T21:00:00Z' }, NOW)).toEqual([{ label: 'new schema', title: 'its columns changed 3 h ago' }])
})
