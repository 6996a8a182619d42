import type { Schema } from '../../api/types'
import { Empty } from '../../design/states'
import { useLocation, useParam } from '../../shell/url'
import { FilterBox, StateFilter } from '../list/filters'
import { ListScreen } from '../list/ListScreen'
import { NoRows } from '../list/NoRows'
import { useList } from '../list/useList'
import type { Stream } from './charts'
import { StreamCard } from './StreamCard'
import '../list/list.css'
import './streams.css'

type StreamPage = Schema<'StreamPage'>

export default function StreamsScreen() {
  const [filter] = useParam('filter')
  const [state] = useParam('state')
  const { search } = useLocation()
  const list = useList<StreamPage, Stream>('/api/v2/streams', { filter, state }, (page) => page.streams)
  return (
    <ListScreen
      what="Streams"
      list={list}
      empty={
        search ? (
          <NoRows place="streams" what="streams" />
        ) : (
          <Empty title="No streams yet">
            A job that says it streams appears here: a Spark query after <code>headwater.spark.attach(spark)</code>, a connector after{' '}
            <code>headwater connect watch</code>, or a Flink job.
          </Empty>
        )
      }
      filters={
        <>
          <FilterBox label="Filter by name" />
          <StateFilter />
        </>
      }
    >
      <div className="scroll main">
        <ul className="streams">
          {list.rows.map((stream) => (
            <StreamCard key={stream.id} stream={stream} />
          ))}
        </ul>
        {list.more && (
          <div className="row more">
            <button type="button" className="button" onClick={list.loadMore}>
              Show more streams
            </button>
          </div>
        )}
      </div>
    </ListScreen>
  )
}
