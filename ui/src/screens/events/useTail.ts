import { useEffect, useState } from 'react'
import { onChange } from '../../api/live'
import { fromStream, passes, together, type Event, type Filters } from './tail'

const MOST = 1_000
// Many events may come at once; the rows are drawn a few times a second whatever their number.
const DRAW_MS = 200

/** Events as they are stored: shown at once, or, while the list stands still, counted until somebody asks for them. */
export function useTail(filters: Filters, still: boolean) {
  const [shown, setShown] = useState<Event[]>([])
  const [held, setHeld] = useState<Event[]>([])
  useEffect(() => {
    setShown([])
    setHeld([])
  }, [filters])
  useEffect(() => {
    let fresh: Event[] = []
    let timer: ReturnType<typeof setTimeout> | undefined
    const stop = onChange((change) => {
      const event = fromStream(change, new Date().toISOString())
      if (!passes(event, filters)) return
      fresh.push(event)
      timer ??= setTimeout(() => {
        timer = undefined
        const drawn = fresh
        fresh = []
        const put = still ? setHeld : setShown
        put((known) => together(drawn, known, MOST))
      }, DRAW_MS)
    })
    return () => {
      stop()
      clearTimeout(timer)
    }
  }, [filters, still])
  const show = () => {
    setShown((known) => together(held, known, MOST))
    setHeld([])
  }
  useEffect(() => {
    if (!still && held.length > 0) show()
  })
  return { shown, waiting: held.length, show }
}
