/** The order of a list in the words of the server: a minus sign puts the greatest first. */

export function sorted(sort: string | undefined, by: string): 'ascending' | 'descending' | 'none' {
  return sort === by ? 'ascending' : sort === `-${by}` ? 'descending' : 'none'
}

export function arrow(sort: string | undefined, by: string): string {
  return sort === by ? ' ↑' : sort === `-${by}` ? ' ↓' : ''
}

/** The order after a click on a column: its usual end first, then the other. */
export function next(sort: string | undefined, by: string, greatestFirst: boolean): string {
  const [first, second] = greatestFirst ? [`-${by}`, by] : [by, `-${by}`]
  return sort === first ? second : first
}
