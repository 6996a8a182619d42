import { Suspense, useEffect, useState } from 'react'
import { useConnection, useLiveQueries } from '../api/live'
import { Empty, Loading } from '../design/states'
import { SCREENS } from '../screens'
import { Catch } from './Catch'
import { useKeys } from './keys'
import { Link } from './Link'
import { PlaceMark } from './PlaceMark'
import { PLACES } from './places'
import { Search } from './Search'
import { Shortcuts } from './Shortcuts'
import './shell.css'
import { applyTheme, chooseTheme, useTheme } from './theme'
import { go, undo, useLocation } from './url'

applyTheme()

/** The frame around every screen: the rail, the top bar, search, and what is said when the server is gone. */
export function App() {
  const { place } = useLocation()
  const [searching, setSearching] = useState(false)
  const [helping, setHelping] = useState(false)
  const [going, setGoing] = useState(false)
  useLiveQueries()

  useEffect(() => {
    const label = PLACES.find((one) => one.path === place)?.label ?? 'Not found'
    document.title = `${label} · Headwater`
    // On a narrow screen not every place fits the rail.
    document.querySelector('.rail [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [place])
  useEffect(() => {
    if (!going) return
    const timer = setTimeout(() => setGoing(false), 1_500)
    return () => clearTimeout(timer)
  }, [going])

  const jumps = Object.fromEntries(PLACES.map(({ key, path }) => [key, () => go({ place: path })]))
  useKeys({
    '/': () => setSearching(true),
    'Ctrl+k': () => setSearching(true),
    '?': () => setHelping(true),
    'Ctrl+z': undo,
    ...(going ? jumps : { g: () => setGoing(true) }),
  })

  const Screen = place === null ? null : SCREENS[place]
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <nav className="rail" aria-label="Places">
        <Link place="" className="brand" aria-label="Headwater, home">
          <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
            <path d="M4 6c5 0 4 6 8 6h8M4 18c5 0 4-6 8-6" fill="none" stroke="currentColor" strokeWidth="2.2" strokeLinecap="round" />
          </svg>
        </Link>
        {PLACES.map(({ path, label }) => (
          <Link key={path} place={path} className="stop" aria-current={place === path ? 'page' : undefined}>
            <PlaceMark place={path} />
            <span>{label}</span>
          </Link>
        ))}
        <span className="grow" />
        <ThemeButton />
        <button type="button" className="stop" onClick={() => setHelping(true)} aria-label="Keys: keyboard shortcuts" title="Keyboard shortcuts (?)">
          <span aria-hidden="true" className="glyph">?</span>
          <span>Keys</span>
        </button>
      </nav>
      <header className="top">
        <button type="button" className="searcher" onClick={() => setSearching(true)} aria-keyshortcuts="/ Control+K">
          <svg className="mark" width="14" height="14" viewBox="0 0 14 14" fill="none" stroke="currentColor" strokeWidth="1.5" aria-hidden="true">
            <circle cx="6" cy="6" r="4" />
            <path d="M9 9l4 4" />
          </svg>
          <span className="grow">Search jobs, datasets, columns, tags</span>
          <span className="kbd">/</span>
        </button>
        <div id="tools" className="tools" />
        <Live />
      </header>
      <main id="main" tabIndex={-1}>
        <Lost />
        <Catch key={place}>
          <Suspense fallback={<Loading />}>
            {Screen ? (
              <Screen />
            ) : (
              <Empty title="There is no such page">
                <Link place="">Go to the graph</Link>
              </Empty>
            )}
          </Suspense>
        </Catch>
      </main>
      {searching && <Search close={() => setSearching(false)} />}
      {helping && <Shortcuts close={() => setHelping(false)} />}
    </div>
  )
}

const NEXT = { system: 'light', light: 'dark', dark: 'system' } as const
const WORDS = { system: 'Auto', light: 'Light', dark: 'Dark' } as const

function ThemeButton() {
  const theme = useTheme()
  return (
    <button type="button" className="stop" onClick={() => chooseTheme(NEXT[theme])} aria-label={`${WORDS[theme]}: the theme. Change it`} title={`Theme: ${theme}`}>
      <svg className="mark" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" strokeWidth="1.4" aria-hidden="true">
        <circle cx="8" cy="8" r="5.5" />
        <path d="M8 2.5a5.5 5.5 0 0 1 0 11z" fill="currentColor" />
      </svg>
      <span>{WORDS[theme]}</span>
    </button>
  )
}

function Live() {
  const connection = useConnection()
  const words = { connecting: 'Connecting', live: 'Live', lost: 'Not live' }[connection]
  return (
    <span className="live" data-connection={connection} role="status">
      <span className="dot" aria-hidden="true" />
      <span>{words}</span>
    </span>
  )
}

function Lost() {
  const connection = useConnection()
  if (connection !== 'lost') return null
  return (
    <div className="banner" role="alert">
      <strong>The server does not answer.</strong>
      <span>What you see is what it said last. This page tries again every two seconds and goes on by itself.</span>
    </div>
  )
}
