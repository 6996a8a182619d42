import { expect, test } from 'vitest'
import { sampleEvents } from './sample-events'

test('the sample is a stream, a batch and a failure, all in the past', () => {
  const now = Date.parse('2026-01-31T12:00:00Z')
  const events = sampleEvents(now)
  expect(events.map((event) => event.eventType)).toEqual(['START', 'RUNNING', 'START', 'RUNNING', 'START', 'COMPLETE', 'START', 'FAIL'])
  for (const event of events) expect(Date.parse(event.eventTime as string)).toBeLessThan(now)
})

test('each load is of new runs', () => {
  const runs = (now: number) => new Set(sampleEvents(now).map((event) => (event.run as { runId: string }).runId))
  expect(runs(1_000).size).toBe(4)
  expect([...runs(1_000)].every((id) => !runs(2_000).has(id))).toBe(true)
  for (const id of runs(Date.parse('2026-01-31T12:00:00Z'))) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7000-8000-\d{12}$/)
})
