import { Field } from '@latchkey/ui/Field'
import type { AdminSpend } from 'latchkey-protocol/admin'
import { useMemo, useState } from 'react'
import { useSpend } from '../api/queries.ts'
import { toEther } from '../format.ts'
import { Bars } from './Bars.tsx'
import { Empty, Failure, Waiting } from './Notice.tsx'

type Props = { projectId: string /** Shows the whole project if omitted. */; policyId?: string }

/** Charts daily spend on one chain and repeats the data in a table for screen readers. */
export function SpendChart({ projectId, policyId }: Props) {
  const spend = useSpend(projectId, policyId)
  const [chosen, setChosen] = useState<number>()
  const items = spend.data
  const chains = useMemo(() => [...new Set(items?.map(({ chainId }) => chainId))].sort((a, b) => a - b), [items])
  // Amounts in the coins of different chains cannot be added.
  const chain = chains.find((chainId) => chainId === chosen) ?? chains[0]
  const days = useMemo(() => sumByDay(items?.filter(({ chainId }) => chainId === chain) ?? []), [items, chain])
  const times = useMemo(() => days.map(({ day }) => day), [days])
  const values = useMemo(() => days.map(({ settled }) => Number(settled) / 1e18), [days])
  if (spend.isPending) return <Waiting />
  if (!items) return <Failure error={spend.error} onRetry={() => spend.refetch()} />
  if (days.length === 0) return <Empty>No gas was sponsored in the last 30 days.</Empty>
  return (
    <>
      {chains.length > 1 && (
        <div className="inset">
          <Field className="choice" label="Chain">
            <select value={chain} onChange={(event) => setChosen(Number(event.target.value))}>
              {chains.map((chainId) => (
                <option key={chainId}>{chainId}</option>
              ))}
            </select>
          </Field>
        </div>
      )}
      <Bars
        label={`Gas sponsored on ${days.length} ${days.length === 1 ? 'day' : 'days'}${policyId === undefined ? '' : ` by ${policyId}`}`}
        times={times}
        values={values}
        stepSeconds={86_400}
        count={30}
        toText={(value) => toEther(BigInt(Math.round(value * 1e18)))}
      />
      <DayTable days={days} />
    </>
  )
}

function DayTable({ days }: { days: readonly Day[] }) {
  return (
    <details className="inset">
      <summary>Show as table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Paid</th>
            <th scope="col">Reserved</th>
          </tr>
        </thead>
        <tbody>
          {days.map(({ day, settled, reserved }) => (
            <tr key={day}>
              <td data-label="Day (UTC)">{day}</td>
              <td data-label="Paid">{toEther(settled)}</td>
              <td data-label="Reserved">{toEther(reserved)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  )
}

type Day = { day: string; settled: bigint; reserved: bigint }

function sumByDay(rows: readonly AdminSpend[]): Day[] {
  const sums = new Map<string, Day>()
  for (const { day, settled, reserved } of rows) {
    const before = sums.get(day) ?? { day, settled: 0n, reserved: 0n }
    sums.set(day, { day, settled: before.settled + BigInt(settled), reserved: before.reserved + BigInt(reserved) })
  }
  return [...sums.values()].sort((a, b) => a.day.localeCompare(b.day))
}
