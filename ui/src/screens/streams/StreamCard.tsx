import { jobEngine } from '../../design/engine'
import { EngineMark } from '../../design/EngineMark'
import { duration } from '../../design/format'
import { stateOf } from '../../design/run-state'
import { Sparkline } from '../../design/Sparkline'
import { StateMark } from '../../design/StateMark'
import { useNow, When } from '../../design/When'
import { Link } from '../../shell/Link'
import { ConnectorState } from '../connectors/ConnectorState'
import { NodeName } from '../list/NodeName'
import { charts, type Stream } from './charts'

/** A stream at a glance: how it is, how fast it goes, and what went wrong last. */
export function StreamCard({ stream }: { stream: Stream }) {
  const drawn = charts(stream.points)
  return (
    <li className="stream" data-state={stateOf(stream.state)}>
      <header>
        <NodeName id={stream.id} mark={<EngineMark engine={jobEngine(stream.jobType?.integration)} />} />
        {stream.condition ? <ConnectorState state={stream.condition} /> : <StateMark state={stateOf(stream.state)} words />}
      </header>
      <p className="muted small row">
        <Age stream={stream} />
        {stream.restarts > 0 && (
          <Link place="runs" params={{ filter: stream.name }}>
            {stream.restarts === 1 ? 'restarted once' : `restarted ${stream.restarts} times`}
          </Link>
        )}
        {stream.run && (
          <Link place="runs" params={{ run: stream.run }}>
            run
          </Link>
        )}
        <Outside url={stream.uiUrl} words="Spark UI" />
        <Outside url={stream.historyUrl} words="History Server" />
      </p>
      {drawn.length > 0 ? (
        <dl className="charts">
          {drawn.map((chart) => (
            <div key={chart.label}>
              <dt className="muted small">{chart.label}</dt>
              <dd>
                <span className="figure">{chart.now}</span>
                <Sparkline values={chart.values} label={`${chart.label}, the last ${chart.values.length} reports, now ${chart.now}`} width={76} height={24} />
              </dd>
            </div>
          ))}
        </dl>
      ) : (
        <p className="muted small">It has not reported how it goes. A stream that Headwater's agents watch does so every minute.</p>
      )}
      {stream.lost && (
        <p className="banner">
          {stream.lost.reason}; last heard of <When at={stream.lost.lastSeen} />
        </p>
      )}
      {stream.error && (
        <p className="small last-error">
          <Link place="runs" params={{ run: stream.error.run }}>
            Last error
          </Link>{' '}
          <When at={stream.error.at} />: <span className="error-text">{stream.error.message}</span>
        </p>
      )}
    </li>
  )
}

/** Since when it runs, or when it was last heard of. */
function Age({ stream }: { stream: Stream }) {
  const now = useNow()
  if (stream.state === 'RUNNING' && stream.startedAt) {
    return <span title="since it started">up {duration(Math.max(0, now - Date.parse(stream.startedAt)))}</span>
  }
  return (
    <span>
      last heard of <When at={stream.heardAt} />
    </span>
  )
}

function Outside({ url, words }: { url: string | null; words: string }) {
  if (!url) return null
  return (
    <a href={url} target="_blank" rel="noreferrer">
      {words} ↗
    </a>
  )
}
