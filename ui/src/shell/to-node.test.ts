import { expect, test } from 'vitest'
import { parseNodeId } from './to-node'

test.each([
  ['dataset:s3://warehouse:orders', 'dataset', 's3://warehouse', 'orders'],
  ['job:lab:a%3Ab%25', 'job', 'lab', 'a:b%'],
  ['dataset::x', 'dataset', '', 'x'],
  ['dataset:kafka://h:9092:topic', 'dataset', 'kafka://h:9092', 'topic'],
])('%s has three parts', (id, kind, namespace, name) => expect(parseNodeId(id)).toEqual({ kind, namespace, name }))
