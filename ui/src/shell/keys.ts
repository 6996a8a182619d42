/** Keys that act anywhere on the page, unless the reader is typing. */
import { useEffect, useRef } from 'react'

export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

/** The name of a key press, such as `f`, `Ctrl+k` or `ArrowLeft`. */
export function keyName(event: KeyboardEvent): string {
  return (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + (event.key.length === 1 ? event.key.toLowerCase() : event.key)
}

/** Calls the action of a key; `true` from an action lets the key do what it does anyway. */
export function useKeys(actions: Record<string, (event: KeyboardEvent) => boolean | void>): void {
  const latest = useRef(actions)
  latest.current = actions
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.altKey) return
      const name = keyName(event)
      if (isTyping(event.target) && name !== 'Escape' && name !== 'Ctrl+k') return
      const action = latest.current[name]
      if (action && action(event) !== true) event.preventDefault()
    }
    window.addEventListener('keydown', pressed)
    return () => window.removeEventListener('keydown', pressed)
  }, [])
}
