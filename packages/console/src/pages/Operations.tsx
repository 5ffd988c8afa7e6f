import type { ColumnDef } from '@tanstack/react-table'
import type { AdminOperation } from 'latchkey/wire'
import { useLiveOperations, useOperations } from '../api/queries.ts'
import { shorten, toCount } from '../format.ts'
import { Ago } from '../parts/Ago.tsx'
import { Card, Hex, Pill } from '../parts/Card.tsx'
import { Link } from '../parts/Link.tsx'
import { StateFilter } from '../parts/StateFilter.tsx'
import { StatePill } from '../parts/StatePill.tsx'
import { Table } from '../parts/Table.tsx'
import { Waterfall } from '../parts/Waterfall.tsx'
import { setParameter, usePath } from '../places.ts'

export const operationColumns: readonly ColumnDef<AdminOperation>[] = [
  {
    id: 'hash',
    header: 'Operation',
    cell: ({ row: { original } }) => (
      <Link to={`/operations/${original.userOpHash}`}>
        <Hex value={original.userOpHash} short={shorten(original.userOpHash)} />
      </Link>
    ),
  },
  {
    id: 'sender',
    header: 'Account',
    cell: ({ row: { original } }) => (
      <Link to={`/operations?sender=${original.sender}`}>
        <Hex value={original.sender} short={shorten(original.sender)} />
      </Link>
    ),
  },
  {
    id: 'way',
    header: 'prepare · sign · send · included',
    cell: ({ row: { original } }) =>
      original.failure ? (
        <span className="failure">{original.failure}</span>
      ) : (
        <Waterfall timeline={original.timeline} />
      ),
  },
  {
    id: 'gas',
    header: 'Gas',
    cell: ({ row: { original } }) => (original.actualGasUsed ? toCount(original.actualGasUsed) : '–'),
  },
  {
    id: 'state',
    header: 'State',
    cell: ({ row: { original } }) => <StatePill state={original.state} success={original.success} />,
  },
  {
    id: 'at',
    header: 'Made',
    cell: ({ row: { original } }) => <Ago at={original.createdAt} />,
  },
]

const states = ['prepared', 'signed', 'sent', 'seen', 'included', 'replaced', 'dropped', 'failed'] as const

export const LiveMark = ({ isLive }: { isLive: boolean }) =>
  isLive ? <Pill tone="ok">live</Pill> : <Pill tone="warn">connecting</Pill>

export function Operations({ projectId }: { projectId: string }) {
  const isLive = useLiveOperations(projectId)
  const { searchParams } = usePath()
  const state = searchParams.get('state') ?? ''
  const sender = searchParams.get('sender') ?? ''
  // What is no address is not asked for: the server would refuse it, and it may be half typed.
  const isAddress = /^0x[0-9a-fA-F]{40}$/.test(sender)
  const list = useOperations({ projectId, state, ...(isAddress && { sender }) })
  return (
    <Card title="All operations" aside={<LiveMark isLive={isLive} />}>
      <div className="filters">
        <StateFilter value={state} states={states} />
        <label className="field grow">
          Account
          <input
            value={sender}
            placeholder="0x…"
            spellCheck={false}
            aria-invalid={sender !== '' && !isAddress}
            onChange={(event) => setParameter('sender', event.target.value.trim())}
          />
        </label>
      </div>
      {sender !== '' && !isAddress && <p className="quiet inset">An address has 0x and 40 hex digits.</p>}
      <Table
        label="Operations"
        isTimed
        list={list}
        columns={operationColumns}
        toKey={({ userOpHash }) => userOpHash}
        empty="No operation yet. The next one of an account shows here at once."
      />
    </Card>
  )
}
