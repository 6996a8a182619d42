import { lazy, Suspense, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { ApiError } from '../../api/client'
import { Empty, Failed, Loading } from '../../design/states'
import type { Camera } from '../../graph/camera'
import { neighbour, type Arrow } from '../../graph/moves'
import { boundsOf, scene as draw } from '../../graph/scene'
import { reach } from '../../graph/trace'
import { MOST, parseView } from '../../graph/view'
import { useKeys } from '../../shell/keys'
import { Link } from '../../shell/Link'
import { go, useLocation } from '../../shell/url'
import { Canvas } from './Canvas'
import type { CardActions } from './CardView'
import { Evidence } from './Evidence'
import { FirstEvent } from './FirstEvent'
import './graph.css'
import { Minimap } from './Minimap'
import { setDepth, Toolbar } from './Toolbar'
import { useCamera, type Covered } from './useCamera'
import { useGraph, type Drawn } from './useGraph'
import { useTween } from './useTween'

const Drawer = lazy(() => import('../drawer/Drawer'))
const DRAWER_WIDTH = 420
// On a narrow screen the drawer comes from below.
const NARROW = 900
const NOTHING = { right: 0, bottom: 0 }
const MORE = [1_000, MOST]
// A graph of few cards opens large enough to read, even if its ends are then off screen.
const FEW = 60
const READABLE = 0.47

/** Home: the graph, with everything about it in the address. */
export default function GraphScreen() {
  const { search } = useLocation()
  const view = useMemo(() => parseView(search), [search])
  const [timing, setTiming] = useState(false)
  const answered = useGraph(view)
  const { drawn } = answered
  const layout = useTween(drawn?.layout ?? null)
  const scene = useMemo(() => (drawn && layout ? draw(drawn.deck, layout, drawn.lit) : null), [drawn, layout])

  const path = useMemo(() => {
    if (!drawn || view.selected === null) return null
    const { deck, lit } = drawn
    const start = deck.cardOf.get(view.selected) ?? view.selected
    if (lit.length > 0) {
      const cards = lit.flatMap((flow) => [flow.from.dataset, flow.to.dataset, ...(flow.job ? [flow.job] : [])])
      return new Set([start, ...cards.map((id) => deck.cardOf.get(id) ?? id)])
    }
    return view.trace ? reach(deck.edges, start, view.trace) : null
  }, [drawn, view.selected, view.trace])

  const host = useRef<HTMLDivElement>(null)
  const world = useRef<HTMLDivElement>(null)
  const covered = view.drawer === null ? NOTHING : innerWidth > NARROW ? { right: DRAWER_WIDTH, bottom: 0 } : { right: 0, bottom: innerHeight * 0.5 }

  if (answered.error && !drawn) return <NotShown error={answered.error} retry={answered.retry} node={view.node} />
  if (!drawn || !scene) return <Loading what="Loading the graph" />
  if (drawn.size === 0 && view.at === null && view.node === null) return <FirstEvent />
  return (
    <div className="graph">
      <Toolbar view={view} folded={drawn.deck.folded} timing={timing} setTiming={setTiming} />
      {drawn.deck.cards.size === 0 ? <NothingShown view={view} /> : <Plane {...{ scene, drawn, view, path, covered, host, world, timing, setTiming }} />}
      {Boolean(answered.diffError) && (
        <p className="floating note-bar" role="alert">
          The two times could not be compared: {(answered.diffError as Error).message}
        </p>
      )}
      {view.selected !== null && view.drawer !== null && (
        <Suspense fallback={null}>
          <Drawer id={view.selected} tab={view.drawer} close={() => go({ set: { drawer: null } })} />
        </Suspense>
      )}
    </div>
  )
}

type PlaneProps = {
  scene: ReturnType<typeof draw>
  drawn: Drawn
  view: ReturnType<typeof parseView>
  path: Set<string> | null
  covered: Covered
  host: React.RefObject<HTMLDivElement | null>
  world: React.RefObject<HTMLDivElement | null>
  timing: boolean
  setTiming: (open: boolean) => void
}

/** The drawn graph with what acts on it: camera, keys, minimap and the line that says what is not shown. */
function Plane({ scene, drawn, view, path, covered, host, world, timing, setTiming }: PlaneProps) {
  const { deck, layout, lit, diff, about } = drawn
  const writing = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const written = useRef('')
  const moved = (camera: Camera) => {
    clearTimeout(writing.current)
    writing.current = setTimeout(() => {
      written.current = cameraText(camera)
      go({ set: { v: written.current }, replace: true })
    }, 400)
  }
  const [asked, setAsked] = useState<string | null>(null)
  const [pointed, point] = useState<string | null>(null)
  const eye = useCamera(host, world, covered, moved)
  const { search } = useLocation()

  const selectedCard = view.selected === null ? undefined : (deck.cardOf.get(view.selected) ?? view.selected)

  // The camera of the address, once; afterwards only one that came from elsewhere, such as Back.
  const wanted = new URLSearchParams(search).get('v')
  const fitted = useRef<string | null>(null)
  const fittedCards = useRef(0)
  useLayoutEffect(() => {
    const camera = wanted && wanted !== written.current ? parseCamera(wanted) : null
    if (camera) {
      written.current = wanted!
      fitted.current = about
      eye.set(camera)
    } else if (fitted.current !== about || (!wanted && deck.cards.size >= 1.5 * fittedCards.current)) {
      fitted.current = about
      fittedCards.current = deck.cards.size
      const least = deck.cards.size <= FEW ? READABLE : undefined
      eye.fit(boundsOf(deck.cards, layout.places), least, layout.places.get(selectedCard ?? view.node ?? ''))
    }
    // A refresh must not move the camera: only another question does, or a graph that has outgrown it.
  }, [about, wanted, drawn]) // eslint-disable-line react-hooks/exhaustive-deps

  useEffect(() => {
    const place = selectedCard === undefined ? undefined : layout.places.get(selectedCard)
    const card = selectedCard === undefined ? undefined : deck.cards.get(selectedCard)
    if (place && card) eye.reveal({ ...place, width: card.width, height: card.height })
  }, [selectedCard, covered.right, covered.bottom, view.column]) // eslint-disable-line react-hooks/exhaustive-deps

  const select = (id: string, drawer: boolean) => go({ set: { sel: id, column: null, trace: null, ...(drawer ? { drawer: view.drawer ?? 'about' } : {}) } })
  const toggle = (id: string) => {
    const isOpen = view.open.includes(id)
    go({ set: { open: isOpen ? view.open.filter((one) => one !== id) : [...view.open, id] } })
  }
  const latest = useRef({ view, select, toggle })
  latest.current = { view, select, toggle }
  const actions = useMemo<CardActions>(
    () => ({
      select: (id) => latest.current.select(id, true),
      focus: (id) => go({ set: { node: id, sel: id, v: null } }),
      toggle: (id) => latest.current.toggle(id),
      trace: (id, column) => {
        const { view } = latest.current
        const again = view.selected === id && view.column === column
        go({ set: { sel: id, column: again ? null : column, trace: null } })
      },
      unfold: (namespace) => {
        const { view } = latest.current
        go({ set: { fold: view.folded.filter((one) => one !== namespace), unfold: [...view.unfolded, namespace], v: null } })
      },
    }),
    [],
  )

  const focused = () => (document.activeElement?.closest('[data-id]') as HTMLElement | null)?.dataset.id ?? view.selected
  const moveTo = (id: string | null) => {
    if (id === null) return
    go({ set: { sel: id, column: null, trace: null }, replace: true })
    requestAnimationFrame(() => host.current?.querySelector<HTMLElement>(`[data-id="${CSS.escape(id)}"] button`)?.focus({ preventScroll: true }))
  }
  const leave = (id: string) => {
    setAsked(null)
    moveTo(id)
  }
  const arrow = (key: Arrow) => (event: KeyboardEvent) => {
    if (!host.current?.contains(event.target as Node) && event.target !== document.body && (event.target as Element).id !== 'main') return true
    moveTo(neighbour(scene, focused() ?? '', key))
    return false
  }
  const light = (trace: 'up' | 'down') => () => {
    const id = focused()
    if (id) go({ set: { sel: id, column: null, trace: view.trace === trace && view.selected === id ? null : trace } })
  }
  useKeys({
    f: () => eye.fit(scene.bounds),
    '+': () => eye.zoom(1.25),
    '=': () => eye.zoom(1.25),
    '-': () => eye.zoom(0.8),
    e: () => {
      const id = focused()
      if (id?.startsWith('dataset:')) toggle(id)
    },
    u: light('up'),
    d: light('down'),
    o: () => {
      const id = focused()
      if (id) actions.focus(id)
    },
    c: () => {
      const namespace = deck.cards.get(focused() ?? '')?.node?.namespace
      if (namespace !== undefined) go({ set: { fold: [...view.folded, namespace], unfold: view.unfolded.filter((one) => one !== namespace), drawer: null } })
    },
    i: () => setAsked(asked === null ? focused() : null),
    t: () => setTiming(!timing),
    '[': () => view.node !== null && setDepth(view.depth - 1),
    ']': () => view.node !== null && setDepth(view.depth + 1),
    ArrowLeft: arrow('ArrowLeft'),
    ArrowRight: arrow('ArrowRight'),
    ArrowUp: arrow('ArrowUp'),
    ArrowDown: arrow('ArrowDown'),
    Escape: () => {
      if (asked !== null) leave(asked)
      else if (timing) setTiming(false)
      else if (view.drawer !== null) go({ set: { drawer: null } })
      else if (view.column !== null || view.trace !== null) go({ set: { column: null, trace: null } })
      else if (view.selected !== null) go({ set: { sel: null } })
    },
  })

  const more = drawn.truncated ? MORE.find((limit) => limit > view.limit) : undefined
  return (
    <>
      <Canvas host={host} world={world} eye={eye} scene={scene} selected={selectedCard ?? null} column={view.column} path={path} lit={lit} pointed={pointed} diff={diff} actions={actions} />
      {asked !== null && scene.cards.has(asked) && <Evidence scene={scene} id={asked} covered={covered} point={point} visit={leave} close={() => leave(asked)} />}
      <div className="floating corner">
        <Minimap scene={scene} eye={eye} />
        <span className="zooms" role="group" aria-label="Zoom">
          <button type="button" className="button icon" aria-label="Zoom out" title="Zoom out (−)" onClick={() => eye.zoom(0.8)}>
            −
          </button>
          <button type="button" className="button icon" aria-label="Zoom in" title="Zoom in (+)" onClick={() => eye.zoom(1.25)}>
            +
          </button>
          <button type="button" className="button" title="Fit everything on screen (f)" onClick={() => eye.fit(path ? boundsOf(deck.cards, layout.places, path) : scene.bounds)}>
            Fit
          </button>
        </span>
      </div>
      <div className="floating says" role="status">
        {view.at && <span className="badge" data-tone="warn">as it was</span>}
        {diff && (
          <>
            <span className="badge added">{diff.counts.added} added</span>
            <span className="badge removed">{diff.counts.removed} removed</span>
            <span className="badge changed">{diff.counts.changed} changed</span>
          </>
        )}
        {deck.folded && view.group === 'auto' && view.folded.length === 0 && <span className="badge">large: namespaces are folded, click one to open it</span>}
        {drawn.truncated && (
          <span className="badge">
            {drawn.size} nodes, and there are more
            {more !== undefined && (
              <button type="button" className="link" onClick={() => go({ set: { limit: String(more) } })}>
                show up to {more.toLocaleString('en')}
              </button>
            )}
          </span>
        )}
        {deck.hiddenByPattern > 0 && <span className="badge">{deck.hiddenByPattern} hidden</span>}
        {deck.alone > 0 && (
          <Link place="jobs" className="badge" title="Jobs and datasets that no edge connects are in the lists">
            {deck.alone} not connected
          </Link>
        )}
      </div>
    </>
  )
}

function NothingShown({ view }: { view: ReturnType<typeof parseView> }) {
  if (view.hide) return <Empty title="Everything is hidden">The pattern {view.hide} names all there is. Change it in the bar above.</Empty>
  return <Empty title="Nothing was known then">No event up to that time says anything. Choose a later time.</Empty>
}

function NotShown({ error, retry, node }: { error: unknown; retry: () => void; node: string | null }) {
  if (error instanceof ApiError && error.status === 404 && node !== null) {
    return (
      <div className="quiet-state">
        <h2>That node is not here</h2>
        <p>{error.message}</p>
        <Link place="">Show the whole graph</Link>
      </div>
    )
  }
  return <Failed error={error} what="the graph" retry={retry} />
}

function cameraText(camera: Camera): string {
  return `${Math.round(camera.x)},${Math.round(camera.y)},${camera.zoom.toFixed(3)}`
}

function parseCamera(text: string): Camera | null {
  const [x, y, zoom] = text.split(',').map(Number)
  return [x, y, zoom].every((n) => Number.isFinite(n)) && zoom! > 0 ? { x: x!, y: y!, zoom: zoom! } : null
}
