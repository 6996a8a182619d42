interface Props {
  values: readonly number[]
  label: string
  width?: number
  height?: number
}

/** A small line from zero up to the largest value; its label says what it is and how it stands. */
export function Sparkline({ values, label, width = 120, height = 28 }: Props) {
  const points = outline(values, width, height)
  return (
    <svg className="sparkline" width={width} height={height} role="img" aria-label={label}>
      {points && (
        <>
          <polygon className="area" points={`0,${height} ${points} ${width},${height}`} />
          <polyline className="line" points={points} />
        </>
      )}
    </svg>
  )
}

function outline(values: readonly number[], width: number, height: number): string {
  const known = values.length === 1 ? [values[0]!, values[0]!] : values
  if (known.length === 0) return ''
  const top = Math.max(...known, 1e-9)
  const step = width / (known.length - 1)
  return known.map((v, i) => `${(i * step).toFixed(1)},${(height - 1 - (Math.max(v, 0) / top) * (height - 3)).toFixed(1)}`).join(' ')
}
