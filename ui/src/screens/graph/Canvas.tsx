import { useCallback, useEffect, useMemo, useRef, useState, type RefObject } from 'react'
import { columnsOf } from '../../graph/cards'
import type { Difference } from '../../graph/difference'
import type { Flow } from '../../graph/model'
import { first } from '../../graph/moves'
import { overlaps, type Rect, type Scene } from '../../graph/scene'
import { useTheme } from '../../shell/theme'
import { CardView, type CardActions } from './CardView'
import { Edges, type Hovered } from './Edges'
import { FarPlane } from './FarPlane'
import { Tip } from './Tip'
import type { Eye } from './useCamera'

// Fewer cards than this are all drawn, wherever they are.
const FEW = 150
// More than this on screen are painted, not made of elements; only from so near that few of them fit is there more to read.
const PAINTED = 250

interface Props {
  host: RefObject<HTMLDivElement | null>
  world: RefObject<HTMLDivElement | null>
  eye: Eye
  scene: Scene
  selected: string | null
  column: string | null
  /** Cards on a lit path; null when nothing is lit. */
  path: ReadonlySet<string> | null
  lit: readonly Flow[]
  pointed: string | null
  diff: Difference | null
  actions: CardActions
}

/** The plane with its cards and edges; only what is near the screen is drawn. */
export function Canvas({ host, world, eye, scene, selected, column, path, lit, pointed, diff, actions }: Props) {
  const [tip, setTip] = useState<{ hovered: Hovered; x: number; y: number } | null>(null)
  const litColumns = useMemo(() => columnsOf(lit), [lit])
  const entry = useMemo(() => (selected !== null && scene.places.has(selected) ? selected : first(scene)), [scene, selected])
  const { window: near } = eye
  const all = scene.cards.size <= FEW
  const theme = useTheme()

  const inSight = useMemo(() => {
    const list = []
    for (const card of scene.cards.values()) {
      const place = scene.places.get(card.id)
      if (!place || !near) continue
      const box: Rect = { ...place, width: card.width, height: card.height }
      // The entry is always there, so that the keyboard has somewhere to go.
      if (all || card.id === entry || overlaps(box, near)) list.push({ card, place })
    }
    return list
  }, [scene, near, all, entry])
  const painted = eye.detail !== 'near' && inSight.length > PAINTED
  const detail = painted ? 'far' : eye.detail
  const far = detail === 'far'
  const cards = useMemo(() => (painted ? inSight.filter(({ card }) => card.id === entry) : inSight), [inSight, painted, entry])
  const edges = useMemo(() => {
    if (painted) return path ? scene.edges.filter(({ edge }) => path.has(edge.from) && path.has(edge.to)) : []
    return all || far ? scene.edges : scene.edges.filter((edge) => near && overlaps(edge.box, near))
  }, [scene, near, all, far, painted, path])

  const hover = useRef((what: Hovered | null, event?: React.PointerEvent) => {
    const box = host.current?.getBoundingClientRect()
    setTip(what && event && box ? { hovered: what, x: Math.min(event.clientX - box.left, box.width - 300), y: Math.min(event.clientY - box.top, box.height - 120) } : null)
  })
  useEffect(() => eye.onMove(() => setTip(null)), [eye.onMove])
  const pick = useCallback(
    (id: string) => {
      const group = scene.cards.get(id)?.group
      if (group) actions.unfold(group.namespace)
      else actions.select(id)
    },
    [scene, actions],
  )

  return (
    <div ref={host} className="plane" data-cards={scene.cards.size} role="group" aria-label={`Lineage graph of ${scene.cards.size} cards. Arrow keys move between them.`}>
      <div ref={world} className="world" data-detail={detail} data-lit={path !== null || undefined}>
        {painted && near && <FarPlane scene={scene} window={near} zoom={eye.current().zoom} path={path} theme={theme} pick={pick} />}
        <Edges edges={edges} strands={scene.strands} cards={scene.cards} path={path} selected={selected} pointed={pointed} diff={diff} detail={detail} hover={hover.current} />
        {cards.map(({ card, place }) => (
          <CardView
            key={card.id}
            card={card}
            x={place.x}
            y={place.y}
            selected={card.id === selected}
            entry={card.id === entry}
            dim={path !== null && !path.has(card.id)}
            mark={diff?.nodes.get(card.id)}
            note={diff?.notes.get(card.id)?.join(', ')}
            lit={litColumns.get(card.id)}
            traced={card.id === selected ? column : null}
            detail={detail}
            actions={actions}
          />
        ))}
      </div>
      {tip && <Tip {...tip} />}
    </div>
  )
}
