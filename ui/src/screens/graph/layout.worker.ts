/** The layout away from the page, so that a large one never holds it up. */
import { layout, type Box, type Link, type Point } from '../../graph/layout'

export interface Job {
  id: number
  boxes: Box[]
  links: Link[]
  placed: Map<string, Point>
}

self.onmessage = ({ data }: MessageEvent<Job>) => {
  self.postMessage({ id: data.id, layout: layout(data.boxes, data.links, data.placed) })
}
