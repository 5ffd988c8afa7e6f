import { useLiveOperations, useOperations, useSpend } from '../api/queries.ts'
import { toCount, toDuration, toEther } from '../format.ts'
import { Card, Figure } from '../parts/Card.tsx'
import { SpendChart } from '../parts/SpendChart.tsx'
import { Table } from '../parts/Table.tsx'
import { MailCard } from './Inbox.tsx'
import { LiveMark, operationColumns } from './Operations.tsx'

/** Beside the inbox there is less room. */
const shownColumns = operationColumns.filter(({ id }) => id !== 'sender' && id !== 'at')

export function Overview({ projectId, isDevWorld }: { projectId: string; isDevWorld: boolean }) {
  const isLive = useLiveOperations(projectId)
  const list = useOperations({ projectId })
  const newest = list.data?.pages[0]?.items ?? []
  const ended = newest.filter(({ state }) => !['prepared', 'signed', 'sent', 'seen'].includes(state))
  const included = ended.filter(({ state, success }) => state === 'included' && success !== false)
  const times = newest.flatMap(({ timeline }) => {
    const end = timeline.find(({ state }) => state === 'included')
    const begin = timeline[0]
    return begin && end ? [Date.parse(end.at) - Date.parse(begin.at)] : []
  })
  const spend = useSpend(projectId)
  const settled = spend.data?.items.reduce((sum, day) => sum + BigInt(day.settled), 0n)
  return (
    <>
      <dl className="figures">
        <Figure value={list.hasNextPage ? `${newest.length}+` : toCount(newest.length)} name="newest operations" />
        <Figure
          value={ended.length === 0 ? '–' : `${((included.length / ended.length) * 100).toFixed(1)} %`}
          name="of them included"
        />
        <Figure value={times.length === 0 ? '–' : toDuration(median(times))} name="prepared to included, median" />
        <Figure value={settled === undefined ? '–' : toEther(settled)} name="gas sponsored in 30 days" />
      </dl>
      <div className="columns">
        <Card title="Newest operations" aside={<LiveMark isLive={isLive} />}>
          <Table
            label="Newest operations"
            list={{ ...list, hasNextPage: false, data: list.data && { pages: [{ items: newest.slice(0, 8) }] } }}
            columns={shownColumns}
            toKey={({ userOpHash }) => userOpHash}
            empty="No operation yet. Sign in to the wallet and press Mint."
          />
        </Card>
        {isDevWorld && <MailCard />}
        <Card title="Gas sponsored, by day">
          <SpendChart spend={spend} />
        </Card>
      </div>
    </>
  )
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
