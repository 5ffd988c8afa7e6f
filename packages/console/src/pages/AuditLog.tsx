import { Card } from '@latchkey/ui/Card'
import type { ColumnDef } from '@tanstack/react-table'
import type { AdminLogEntry } from 'latchkey-protocol/admin'
import { useLog, useLogChain } from '../api/queries.ts'
import { shorten, toCount, toTime } from '../format.ts'
import { Hex, Pill } from '../parts/Figures.tsx'
import { Link } from '../parts/Link.tsx'
import { Failure, Waiting } from '../parts/Notice.tsx'
import { Table, timeOrders } from '../parts/Table.tsx'
import { usePath } from '../places.ts'

const columns: readonly ColumnDef<AdminLogEntry>[] = [
  { id: 'at', header: 'Time', cell: ({ row }) => <time dateTime={row.original.at}>{toTime(row.original.at)}</time> },
  {
    id: 'who',
    header: 'Operator',
    cell: ({ row: { original } }) => (
      <>
        <Link to={`/log?operator=${encodeURIComponent(original.operatorId)}`}>{original.operatorName}</Link>{' '}
        <span className="quiet">{original.role}</span>
      </>
    ),
  },
  { id: 'action', header: 'Action', cell: ({ row }) => <code>{row.original.action}</code> },
  {
    id: 'target',
    header: 'Target',
    cell: ({ row: { original } }) => <Target entry={original} />,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ row: { original } }) =>
      original.outcome === 'done' ? (
        <Pill tone="ok">Done</Pill>
      ) : (
        <>
          <Pill tone="bad">Refused</Pill> {original.code && <span className="quiet">{original.code}</span>}
        </>
      ),
  },
  {
    id: 'digest',
    header: 'Digest',
    cell: ({ row: { original } }) =>
      original.afterDigest ? <Hex value={original.afterDigest} short={shorten(original.afterDigest)} /> : '–',
  },
]

function Target({ entry: { projectId, target } }: { entry: AdminLogEntry }) {
  if (!projectId && !target) return '–'
  return (
    <>
      {projectId}
      {projectId && target && ' / '}
      {/* Targets longer than 24 characters are ids, which are shortened. */}
      {target && (target.length > 24 ? <Hex value={target} short={shorten(target)} /> : target)}
    </>
  )
}

export function AuditLog() {
  const operatorId = usePath().searchParams.get('operator') ?? undefined
  const list = useLog({ operatorId })
  const name = list.data?.pages[0]?.items[0]?.operatorName
  return (
    <>
      <ChainState />
      <Card title="Operator actions">
        {operatorId !== undefined && (
          <p className="inset">
            Only <b>{name ?? operatorId}</b>. <Link to="/log">Show all</Link>
          </p>
        )}
        <Table
          label="Audit log"
          orders={timeOrders}
          list={list}
          columns={columns}
          toKey={({ seq }) => seq}
          empty="No actions yet."
        />
      </Card>
    </>
  )
}

/** Shows whether the newest entries form an intact hash chain. */
function ChainState() {
  const chain = useLogChain()
  const { head, checkedFrom, bad } = chain.data ?? {}
  return (
    <Card title="Log integrity" aside={head && (bad ? <Pill tone="bad">Broken</Pill> : <Pill tone="ok">Intact</Pill>)}>
      {chain.isPending && <Waiting />}
      {chain.error ? <Failure error={chain.error} onRetry={() => void chain.refetch()} /> : null}
      {bad && (
        <p className="inset failure">
          Entry {toCount(bad)} was changed or is missing. Someone edited the database directly.
        </p>
      )}
      {chain.data && (
        <p className="quiet inset">
          {head && checkedFrom
            ? `${toCount(head.seq)} entries, ${checkedFrom === '1' ? 'all verified' : `verified from ${toCount(checkedFrom)} on`}. `
            : 'No entries yet. '}
          {head && (
            <>
              Latest hash: <Hex value={head.mac} short={shorten(head.mac)} />. Keep a copy elsewhere to detect removed
              entries (<code>latchkey-server operators heads</code>, <code>operators verify</code>).
            </>
          )}
        </p>
      )}
    </Card>
  )
}
