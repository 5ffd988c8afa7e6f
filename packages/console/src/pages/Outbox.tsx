import { Card } from '@latchkey/ui/Card'
import type { ColumnDef } from '@tanstack/react-table'
import type { AdminMail } from 'latchkey-protocol/admin'
import { useOutbox } from '../api/queries.ts'
import { toSentenceCase } from '../format.ts'
import { Ago } from '../parts/Ago.tsx'
import { Pill } from '../parts/Figures.tsx'
import { StateFilter } from '../parts/StateFilter.tsx'
import { Table, timeOrders } from '../parts/Table.tsx'
import { usePath } from '../places.ts'

const states = ['queued', 'sent', 'failed'] as const
const tones = { queued: 'warn', sent: 'ok', failed: 'bad' } as const

const columns: readonly ColumnDef<AdminMail>[] = [
  { id: 'to', header: 'To', cell: ({ row }) => row.original.recipient },
  { id: 'kind', header: 'Kind', cell: ({ row }) => row.original.kind },
  {
    id: 'state',
    header: 'State',
    cell: ({ row: { original } }) => <Pill tone={tones[original.state]}>{toSentenceCase(original.state)}</Pill>,
  },
  { id: 'tries', header: 'Attempts', cell: ({ row }) => row.original.tries },
  { id: 'failure', header: 'Last error', cell: ({ row }) => row.original.failure ?? '–' },
  {
    id: 'at',
    header: 'Created',
    cell: ({ row: { original } }) => <Ago at={original.createdAt} />,
  },
]

/** Lists pending and sent mails and webhooks, never a mail's content. */
export function Outbox() {
  const state = usePath().searchParams.get('state') ?? ''
  return (
    <Card title="Sent by the server">
      <div className="filters">
        <StateFilter states={states} />
      </div>
      <Table
        label="Emails"
        orders={timeOrders}
        list={useOutbox(state)}
        columns={columns}
        toKey={({ id }) => id}
        empty={state === '' ? 'No emails in the last week.' : `No ${state} emails in the last week.`}
      />
    </Card>
  )
}
