import 'uplot/dist/uPlot.min.css'
import type { AdminPage, AdminSpend } from 'latchkey/wire'
import { useEffect, useMemo, useRef } from 'react'
import uPlot from 'uplot'
import { toEther } from '../format.ts'
import { Empty, Failure, Waiting } from './Notice.tsx'

type Spend = { data?: AdminPage<AdminSpend> | undefined; error: unknown; isPending: boolean; refetch(): unknown }

/** What was paid each day, over policies and chains; the same as a table for those who do not see it. */
export function SpendChart({ spend }: { spend: Spend }) {
  const items = spend.data?.items
  const days = useMemo(() => sumByDay(items ?? []), [items])
  if (spend.isPending) return <Waiting />
  if (!items) return <Failure error={spend.error} onRetry={() => spend.refetch()} />
  if (days.length === 0) return <Empty>Nothing was sponsored in the last 30 days.</Empty>
  return (
    <>
      <Chart days={days} />
      <details className="inset">
        <summary>As a table</summary>
        <table>
          <thead>
            <tr>
              <th scope="col">Day (UTC)</th>
              <th scope="col">Paid</th>
            </tr>
          </thead>
          <tbody>
            {days.map(({ day, wei }) => (
              <tr key={day}>
                <td data-label="Day (UTC)">{day}</td>
                <td data-label="Paid">{toEther(wei)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </>
  )
}

type Day = { day: string; wei: bigint }

function sumByDay(rows: readonly AdminSpend[]): Day[] {
  const sums = new Map<string, bigint>()
  for (const { day, settled } of rows) sums.set(day, (sums.get(day) ?? 0n) + BigInt(settled))
  return [...sums].map(([day, wei]) => ({ day, wei })).sort((a, b) => a.day.localeCompare(b.day))
}

const height = 180
const daySeconds = 86_400
/** What the admin API sums without being asked for more. */
const shownDays = 30

function Chart({ days }: { days: readonly Day[] }) {
  const place = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const element = place.current
    if (!element) return
    // Asked for at each drawing: the theme can change.
    const token = (name: string) => () => getComputedStyle(element).getPropertyValue(name).trim()
    const axis = { stroke: token('--lk-ink-2'), grid: { stroke: token('--lk-line'), width: 1 }, ticks: { show: false } }
    const bars = uPlot.paths.bars?.({ size: [0.6, 40] })
    const end = Date.parse(days.at(-1)?.day ?? '') / 1_000
    const chart = new uPlot(
      {
        width: element.clientWidth,
        height,
        legend: { show: false },
        cursor: { show: false },
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1_000), 'Etc/UTC'),
        scales: { x: { time: true, range: () => [end - shownDays * daySeconds, end + daySeconds] } },
        axes: [
          { ...axis, grid: { show: false }, space: 70, incrs: [1, 2, 7, 14].map((count) => count * daySeconds) },
          { ...axis, size: 96, values: (_, values) => values.map((value) => `${value} ETH`) },
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
      [days.map(({ day }) => Date.parse(day) / 1_000), days.map(({ wei }) => Number(wei) / 1e18)],
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
  }, [days])
  return <div ref={place} className="chart" role="img" aria-label={`Gas sponsored on ${days.length} days`} />
}
