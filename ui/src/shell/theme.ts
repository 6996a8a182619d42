/** Light, dark, or as the system says; the choice is kept in this browser. */
import { useSyncExternalStore } from 'react'

export type Theme = 'system' | 'light' | 'dark'
const KEY = 'headwater-theme'
const watchers = new Set<() => void>()
const dark = typeof matchMedia === 'undefined' ? null : matchMedia('(prefers-color-scheme: dark)')

function chosen(): Theme {
  try {
    const kept = localStorage.getItem(KEY)
    return kept === 'light' || kept === 'dark' ? kept : 'system'
  } catch {
    return 'system' // no storage in this browser
  }
}

let theme: Theme = chosen()

export function applyTheme(): void {
  const isDark = theme === 'dark' || (theme === 'system' && dark?.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
}

export function chooseTheme(next: Theme): void {
  theme = next
  try {
    if (next === 'system') localStorage.removeItem(KEY)
    else localStorage.setItem(KEY, next)
  } catch {
    // The choice then lasts as long as the page.
  }
  applyTheme()
  for (const watcher of watchers) watcher()
}

dark?.addEventListener('change', applyTheme)

export function useTheme(): Theme {
  return useSyncExternalStore(
    (watcher) => {
      watchers.add(watcher)
      return () => watchers.delete(watcher)
    },
    () => theme,
  )
}
