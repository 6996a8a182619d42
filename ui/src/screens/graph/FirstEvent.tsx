import { useMutation, useQueryClient } from '@tanstack/react-query'
import { address, send } from '../../api/client'
import { Plain } from '../../design/Code'

/** An empty server: how to send the first event, and a sample to look at meanwhile. */
export function FirstEvent() {
  const queries = useQueryClient()
  const load = useMutation({
    mutationFn: async () => {
      const { sampleEvents } = await import('./sample-events')
      return send('POST', '/api/v1/lineage/batch', sampleEvents(Date.now()))
    },
    onSuccess: () => queries.invalidateQueries({ queryKey: ['live'] }),
  })
  const root = address('/').replace(/\/$/, '')
  const command = `curl -X POST ${root}/api/v1/lineage -H 'Content-Type: application/json' -d '{
  "eventType": "COMPLETE", "eventTime": "${new Date().toISOString()}", "producer": "me",
  "run": {"runId": "${crypto.randomUUID?.() ?? '01234567-89ab-7def-8123-456789abcdef'}"},
  "job": {"namespace": "try", "name": "hello"},
  "inputs": [{"namespace": "try", "name": "a"}], "outputs": [{"namespace": "try", "name": "b"}]}'`
  return (
    <div className="quiet-state first-event">
      <h1>Nothing has been sent yet</h1>
      <p>Jobs that speak OpenLineage appear here as soon as they send an event. Send a first one from a shell:</p>
      <Plain text={command} label="command" />
      <p>
        For Spark, Airflow, dbt or Flink set <code>OPENLINEAGE_URL={root}</code>.
      </p>
      <button type="button" className="button primary" disabled={load.isPending} onClick={() => load.mutate()}>
        {load.isPending ? 'Loading…' : 'Load the sample graph'}
      </button>
      {load.error && <p role="alert">The sample could not be loaded: {load.error.message}</p>}
    </div>
  )
}
