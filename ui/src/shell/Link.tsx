import type { AnchorHTMLAttributes, MouseEvent } from 'react'
import type { Place } from './places'
import { go, href, type Changes } from './url'

interface Props extends Omit<AnchorHTMLAttributes<HTMLAnchorElement>, 'href'> {
  place: Place
  params?: Changes
}

/** A link inside the page: opens in place, and in a new tab where the reader asks for one. */
export function Link({ place, params = {}, onClick, ...rest }: Props) {
  const follow = (event: MouseEvent<HTMLAnchorElement>) => {
    onClick?.(event)
    if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    go({ place, set: params })
  }
  return <a {...rest} href={href(place, params)} onClick={follow} />
}
