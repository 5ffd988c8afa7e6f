import type { ColumnDef } from '@tanstack/react-table'
import type { AdminLogEntry } from 'latchkey/wire'
import { useLog } from '../api/queries.ts'
import { shorten, toTime } from '../format.ts'
import { Card, Hex, Pill } from '../parts/Card.tsx'
import { Table } from '../parts/Table.tsx'

const columns: readonly ColumnDef<AdminLogEntry>[] = [
  { id: 'at', header: 'Time', cell: ({ row }) => <time dateTime={row.original.at}>{toTime(row.original.at)}</time> },
  { id: 'who', header: 'Operator', cell: ({ row }) => `${row.original.operatorName} (${row.original.role})` },
  { id: 'action', header: 'Action', cell: ({ row }) => <code>{row.original.action}</code> },
  {
    id: 'target',
    header: 'Of',
    cell: ({ row: { original } }) => [original.projectId, original.target].filter(Boolean).join(' / ') || '–',
  },
  {
    id: 'outcome',
    header: 'Outcome',
    cell: ({ row: { original } }) =>
      original.outcome === 'done' ? (
        <Pill tone="ok">done</Pill>
      ) : (
        <Pill tone="bad">refused{original.code && `: ${original.code}`}</Pill>
      ),
  },
  {
    id: 'digest',
    header: 'Digest after',
    cell: ({ row: { original } }) =>
      original.afterDigest ? <Hex value={original.afterDigest} short={shorten(original.afterDigest)} /> : '–',
  },
]

export function AuditLog() {
  return (
    <Card title="What operators did, and were refused">
      <p className="quiet inset">
        Its entries are chained: <code>latchkey-server operators verify</code> proves that none is missing or changed.
      </p>
      <Table
        label="Audit log"
        isTimed
        list={useLog()}
        columns={columns}
        toKey={({ seq }) => seq}
        empty="Nothing was changed yet."
      />
    </Card>
  )
}
