import { expect, test } from 'vitest'
import { datasetEngine, jobEngine } from './engine'

test.each([
  ['SPARK', 'spark'],
  ['KAFKA_CONNECT', 'connect'],
  ['flink', 'flink'],
  [null, 'job'],
  ['HOME_MADE', 'job'],
])('integration %s runs on %s', (integration, engine) => expect(jobEngine(integration)).toBe(engine))

test.each([
  ['kafka://broker:9092', 'kafka'],
  ['s3://warehouse', 's3'],
  ['postgres://db:5432', 'database'],
  ['file', 'file'],
  ['anything', 'dataset'],
  ['', 'dataset'],
])('namespace %s is in %s', (namespace, engine) => expect(datasetEngine(namespace)).toBe(engine))

test('files in a bucket that a catalog also names are a table', () => {
  expect(datasetEngine('s3://warehouse', ['dataset:hive://host:9083:default.orders'])).toBe('iceberg')
})
