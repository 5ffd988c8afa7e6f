import type { AdminPage, AdminSpend } from 'latchkey/wire'
import { useMemo } from 'react'
import { toEther } from '../format.ts'
import { Bars } from './Bars.tsx'
import { Empty, Failure, Waiting } from './Notice.tsx'

type Spend = { data?: AdminPage<AdminSpend> | undefined; error: unknown; isPending: boolean; refetch(): unknown }

/** What was paid each day, over policies and chains; the same as a table for those who do not see it. */
export function SpendChart({ spend }: { spend: Spend }) {
  const items = spend.data?.items
  const days = useMemo(() => sumByDay(items ?? []), [items])
  const times = useMemo(() => days.map(({ day }) => day), [days])
  const values = useMemo(() => days.map(({ wei }) => Number(wei) / 1e18), [days])
  if (spend.isPending) return <Waiting />
  if (!items) return <Failure error={spend.error} onRetry={() => spend.refetch()} />
  if (days.length === 0) return <Empty>Nothing was sponsored in the last 30 days.</Empty>
  return (
    <>
      <Bars
        label={`Gas sponsored on ${days.length} days`}
        times={times}
        values={values}
        stepSeconds={86_400}
        count={30}
        toText={(value) => `${value} ETH`}
      />
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
