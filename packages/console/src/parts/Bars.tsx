import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import uPlot from 'uplot'

type Props = {
  /** Label of the whole chart, for screen readers. */
  label: string
  /** Start times of the steps, ISO 8601, oldest first. */
  times: readonly string[]
  /** Null: no data for that step. */
  values: readonly (number | null)[]
  stepSeconds: number
  /** Number of steps on the axis, which ends with the last step. There may be more steps than data. */
  count: number
  toText(value: number): string
}

const height = 180

const days = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const hours = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' })

/** Formats `24 Nov`, and `18:00` within a day, in UTC like the steps. */
function toMoment(seconds: number, stepSeconds: number): string {
  const isDay = stepSeconds >= 86_400 || seconds % 86_400 === 0
  return (isDay ? days : hours).format(seconds * 1_000)
}

/** Draws a bar per step. A table has the same data, since a canvas is not accessible. */
export function Bars({ label, times, values, stepSeconds, count, toText }: Props) {
  const place = useRef<HTMLDivElement>(null)
  const write = useRef(toText)
  write.current = toText
  useEffect(() => {
    const element = place.current
    if (!element) return
    // Read at each drawing: the theme can change.
    const token = (name: string) => () => getComputedStyle(element).getPropertyValue(name).trim()
    const axis = { stroke: token('--lk-ink-2'), grid: { stroke: token('--lk-line'), width: 1 }, ticks: { show: false } }
    const bars = uPlot.paths.bars?.({ size: [0.6, 40] })
    const end = Date.parse(times.at(-1) ?? '') / 1_000
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
        scales: {
          // Starts at zero: a bar's length is its value.
          y: { range: (_, _least, most) => [0, most > 0 ? most * 1.1 : 1] },
          x: { time: true, range: () => [end - count * stepSeconds, end + stepSeconds] },
        },
        axes: [
          {
            ...axis,
            grid: { show: false },
            space: 70,
            incrs: [1, 2, 3, 6, 7, 12, 14].map((steps) => steps * stepSeconds),
            values: (_, ticks) => ticks.map((tick) => toMoment(tick, stepSeconds)),
          },
          {
            ...axis,
            // The axis is as wide as its longest label.
            size: (_, words) => Math.max(0, ...(words ?? []).map((word) => word.length)) * 7 + 20,
            values: (_, ticks) => ticks.map((tick) => write.current(tick)),
          },
        ],
        series: [
          {},
          {
            fill: token('--lk-brass'),
            stroke: token('--lk-brass'),
            ...(bars && { paths: bars }),
            points: { show: false },
          },
        ],
      },
      // Omits zeros, whose bars would be drawn as lines.
      [times.map((time) => Date.parse(time) / 1_000), values.map((value) => value || null)],
      element,
    )
    const watching = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    watching.observe(element)
    const theme = matchMedia('(prefers-color-scheme: dark)')
    const redraw = () => chart.redraw()
    theme.addEventListener('change', redraw)
    return () => {
      theme.removeEventListener('change', redraw)
      watching.disconnect()
      chart.destroy()
    }
  }, [times, values, stepSeconds, count])
  return <div ref={place} className="chart" role="img" aria-label={label} />
}
