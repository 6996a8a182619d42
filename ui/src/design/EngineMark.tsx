import { ENGINE_NAMES, type Engine } from './engine'

/** Simple marks of our own, drawn on a 16 by 16 grid with one line width. */
const MARKS: Record<Engine, React.ReactNode> = {
  kafka: (
    <>
      <circle cx="5" cy="8" r="2" />
      <circle cx="11" cy="4" r="1.7" />
      <circle cx="11" cy="12" r="1.7" />
      <path d="M6.8 7l2.7-2M6.8 9l2.7 2M5 6V2.5M5 10v3.5" />
    </>
  ),
  connect: <path d="M2 8h3M11 8h3M5 5v6h2.5a3 3 0 0 0 0-6zM9.8 6h1.7v4H9.8" />,
  spark: <path d="M8 1.8l1.6 4 4.3.3-3.3 2.7 1 4.3L8 10.8l-3.6 2.3 1-4.3L2.1 6.1l4.3-.3z" />,
  flink: <path d="M3 13c0-5 2-9 6-9 2.5 0 4 1.5 4 3.5S11.5 11 9.5 11 7 9.8 7 8.8M3 13h6" />,
  iceberg: <path d="M1.5 8h13M4 8l3-5.5L9.5 6 11 4.5 13 8M3.5 8l2 3.5 2.5 2 3-3.5 1-2" />,
  s3: <path d="M3 4.5l1.2 8.3c.1.7 7.5.7 7.6 0L13 4.5M3 4.5c0-1.8 10-1.8 10 0s-10 1.8-10 0z" />,
  database: <path d="M3 4c0-2 10-2 10 0v8c0 2-10 2-10 0zM3 4c0 2 10 2 10 0M3 8c0 2 10 2 10 0" />,
  airflow: <path d="M8 8c0-4 3-6 6-5-1 3-3 5-6 5zM8 8c0 4-3 6-6 5 1-3 3-5 6-5zM8 8c-4 0-6-3-5-6 3 1 5 3 5 6zM8 8c4 0 6 3 5 6-3-1-5-3-5-6z" />,
  dbt: <path d="M8 8L2.5 3.5C5 2 7 3 8 8zM8 8l5.5-4.5C14.5 6 13 8 8 8zM8 8l5.5 4.5C11 14 9 13 8 8zM8 8l-5.5 4.5C1.5 10 3 8 8 8z" />,
  file: <path d="M4 1.8h5l3 3v9.4H4zM9 1.8v3h3" />,
  job: <path d="M2.5 4.5h11v7h-11zM6 7l2 1.2L6 9.5M9 9.5h2" />,
  dataset: <path d="M2.5 3h11v10h-11zM2.5 6.5h11M2.5 9.7h11M6.5 6.5V13" />,
}

export function EngineMark({ engine, size = 16 }: { engine: Engine; size?: number }) {
  return (
    <svg
      className="mark"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.3"
      strokeLinejoin="round"
      strokeLinecap="round"
      role="img"
      aria-label={ENGINE_NAMES[engine]}
    >
      {MARKS[engine]}
    </svg>
  )
}
