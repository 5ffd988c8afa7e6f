import { Card } from '@latchkey/ui/Card'
import type { ColumnDef } from '@tanstack/react-table'
import type { AdminSecurityEvent } from 'latchkey-protocol/admin'
import { useOperator, useSecurityEvents } from '../api/queries.ts'
import { shorten, toCount, toSentenceCase } from '../format.ts'
import { Ago } from '../parts/Ago.tsx'
import { Hex, Pill } from '../parts/Figures.tsx'
import { Link } from '../parts/Link.tsx'
import { Empty } from '../parts/Notice.tsx'
import { StateFilter } from '../parts/StateFilter.tsx'
import { Table, timeOrders } from '../parts/Table.tsx'
import { usePath } from '../places.ts'

/** Refusals first, then completed events. */
const events = [
  'bad_stamp',
  'wrong_code',
  'refused',
  'rate_limited',
  'policy_refused',
  'exported',
  'imported',
  'account_created',
  'account_frozen',
  'account_unfrozen',
  'session_started',
  'sessions_revoked',
  'credential_added',
  'credential_removed',
  'user_changed',
  'confirmation_asked',
  'confirmation_given',
  'confirmation_refused',
  'deletion_planned',
  'deletion_cancelled',
  'keys_destroyed',
] as const

const columns: readonly ColumnDef<AdminSecurityEvent>[] = [
  { id: 'at', header: 'Time', cell: ({ row }) => <Ago at={row.original.at} /> },
  {
    id: 'event',
    header: 'Event',
    cell: ({ row: { original } }) => (
      <Pill tone={original.code ? 'warn' : 'plain'}>{toSentenceCase(original.event)}</Pill>
    ),
  },
  { id: 'code', header: 'Code', cell: ({ row }) => row.original.code ?? '–' },
  { id: 'roles', header: 'Role', cell: ({ row }) => row.original.roles.join(', ') },
  {
    id: 'who',
    header: 'Account',
    cell: ({ row: { original } }) =>
      original.organizationId ? (
        <Link to={`/users/${original.organizationId}`}>
          <code>{shorten(original.organizationId)}</code>
        </Link>
      ) : (
        '–'
      ),
  },
  {
    id: 'request',
    header: 'Request',
    cell: ({ row: { original } }) =>
      original.requestId ? <Hex value={original.requestId} short={shorten(original.requestId)} /> : '–',
  },
  { id: 'count', header: 'Count', cell: ({ row }) => toCount(row.original.count) },
]

/**
 * Lists refusals and account changes of all replicas. Log lines contain the same events, and metrics count all of them.
 */
export function SecurityEvents() {
  const operator = useOperator()
  const event = usePath().searchParams.get('state') ?? ''
  const isAllowed = operator.data !== undefined && operator.data.role !== 'viewer'
  const list = useSecurityEvents(event, isAllowed)
  return (
    <Card title="Security events">
      {!isAllowed ? (
        <Empty>Only operators and admins can see security events; your role is {operator.data?.role}.</Empty>
      ) : (
        <>
          <div className="filters">
            <StateFilter states={events} label="Event" />
          </div>
          <Table
            label="Security events"
            orders={timeOrders}
            list={list}
            columns={columns}
            toKey={({ id }) => id}
            empty={
              event === ''
                ? 'No events in the last 30 days.'
                : `No “${toSentenceCase(event)}” events in the last 30 days.`
            }
          />
        </>
      )}
    </Card>
  )
}
