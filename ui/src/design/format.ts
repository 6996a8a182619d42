/** Figures and times as people read them. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const YEAR = 365 * DAY

/** `3 d 4 h`, `12 min`, `1.2 s`, `340 ms`: the two largest parts that matter. */
export function duration(ms: number): string {
  if (!Number.isFinite(ms) || ms < 0) return '–'
  if (ms < 1_000) return `${Math.round(ms)} ms`
  if (ms < 10_000) return `${(ms / 1_000).toFixed(1)} s`
  if (ms < MINUTE) return `${Math.round(ms / 1_000)} s`
  if (ms < HOUR) return two(Math.floor(ms / MINUTE), 'min', Math.floor((ms % MINUTE) / 1_000), 's', ms < 10 * MINUTE)
  if (ms < DAY) return two(Math.floor(ms / HOUR), 'h', Math.floor((ms % HOUR) / MINUTE), 'min')
  if (ms < YEAR) return two(Math.floor(ms / DAY), 'd', Math.floor((ms % DAY) / HOUR), 'h', ms < 30 * DAY)
  return `${(ms / YEAR).toFixed(1)} y`
}

function two(large: number, of: string, small: number, part: string, both = true): string {
  return small && both ? `${large} ${of} ${small} ${part}` : `${large} ${of}`
}

/** `9.8k`, `1.2M`: three figures at most. */
export function count(n: number): string {
  if (!Number.isFinite(n)) return '–'
  const size = Math.abs(n)
  if (size < 1_000) return Number.isInteger(n) ? String(n) : size < 10 ? n.toFixed(1) : String(Math.round(n))
  for (const [unit, name] of [[1e9, 'G'], [1e6, 'M'], [1e3, 'k']] as const) {
    if (size >= unit * 0.9995) {
      const value = n / unit
      return `${Math.abs(value) < 9.95 ? value.toFixed(1).replace(/\.0$/, '') : Math.round(value)}${name}`
    }
  }
  return String(Math.round(n))
}

export function rate(perSecond: number): string {
  return `${count(perSecond)}/s`
}

export function bytes(n: number): string {
  for (const [unit, name] of [[2 ** 40, 'TB'], [2 ** 30, 'GB'], [2 ** 20, 'MB'], [2 ** 10, 'kB']] as const) {
    if (n >= unit) return `${(n / unit).toFixed(n / unit < 10 ? 1 : 0)} ${name}`
  }
  return `${n} B`
}

/** `4 min ago`, or `in 2 h` for what is to come. */
export function ago(time: string | number, now: number): string {
  const ms = now - (typeof time === 'number' ? time : Date.parse(time))
  if (!Number.isFinite(ms)) return '–'
  if (Math.abs(ms) < 5_000) return 'now'
  const parts = duration(Math.abs(ms)).split(' ')
  const words = parts.slice(0, 2).join(' ')
  return ms > 0 ? `${words} ago` : `in ${words}`
}

/** `2026-01-31 12:00:05`, in the reader's own time zone. */
export function absolute(time: string | number): string {
  const date = new Date(time)
  if (Number.isNaN(date.getTime())) return '–'
  const pad = (n: number) => String(n).padStart(2, '0')
  const day = `${date.getFullYear()}-${pad(date.getMonth() + 1)}-${pad(date.getDate())}`
  return `${day} ${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())}`
}

/** A long name cut in the middle, where it says least: the start says whose it is, the end what. */
export function middle(name: string, most: number): string {
  if (name.length <= most) return name
  const end = Math.ceil((most - 1) * 0.6)
  return `${name.slice(0, most - 1 - end)}…${name.slice(name.length - end)}`
}
