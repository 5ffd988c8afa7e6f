import { Button } from '@latchkey/ui/Button'
import { Card } from '@latchkey/ui/Card'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ColumnDef } from '@tanstack/react-table'
import type { AdminDelivery, AdminWebhook } from 'latchkey-protocol/admin'
import { toWebhookPath, useDeliveries, useOperator, useWebhooks } from '../api/queries.ts'
import { askAdmin } from '../api/request.ts'
import { toCount, toSentenceCase } from '../format.ts'
import { Ago } from '../parts/Ago.tsx'
import { Pill } from '../parts/Figures.tsx'
import { Empty, Failure, Waiting } from '../parts/Notice.tsx'
import { StateFilter } from '../parts/StateFilter.tsx'
import { Table, timeOrders } from '../parts/Table.tsx'
import { usePath } from '../places.ts'

export function Webhooks({ projectId }: { projectId: string }) {
  const found = useWebhooks(projectId)
  if (found.isPending) return <Waiting />
  if (!found.data) return <Failure error={found.error} onRetry={() => void found.refetch()} />
  if (found.data.items.length === 0)
    return (
      <Empty>
        No endpoints yet. Add one to the projects file (<code>webhooks</code>), or start the devnet with{' '}
        <code>--webhook-url</code>.
      </Empty>
    )
  return (
    <>
      <div className="filters">
        <StateFilter states={states} />
      </div>
      {found.data.items.map((endpoint) => (
        <Endpoint key={endpoint.id} projectId={projectId} endpoint={endpoint} />
      ))}
    </>
  )
}

const states = ['queued', 'delivered', 'dead'] as const
const tones = { queued: 'warn', delivered: 'ok', dead: 'bad' } as const

function Endpoint({ projectId, endpoint }: { projectId: string; endpoint: AdminWebhook }) {
  const { id, origin, events, waiting, dead } = endpoint
  const state = usePath().searchParams.get('state') ?? ''
  const list = useDeliveries(projectId, id, state)
  const operator = useOperator()
  const client = useQueryClient()
  const replay = useMutation({
    mutationFn: (body: { ids: string[] } | { dead: true }) =>
      askAdmin<{ replayed: number }>(`${toWebhookPath(projectId, id)}/replay`, { method: 'POST', body }),
    onSettled: () => client.invalidateQueries({ queryKey: ['webhooks', projectId] }),
  })
  const mayReplay = operator.data !== undefined && operator.data.role !== 'viewer'
  const columns: readonly ColumnDef<AdminDelivery>[] = [
    { id: 'type', header: 'Event', cell: ({ row }) => <code>{row.original.type}</code> },
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
    {
      id: 'actions',
      header: 'Actions',
      cell: ({ row: { original } }) =>
        mayReplay && original.state !== 'queued' ? (
          <Button isBusy={replay.isPending} onClick={() => replay.mutate({ ids: [original.id] })}>
            Resend
          </Button>
        ) : null,
    },
  ]
  return (
    <Card
      title={`${id}: ${origin}`}
      aside={
        mayReplay && dead > 0 ? (
          <Button isBusy={replay.isPending} onClick={() => replay.mutate({ dead: true })}>
            Resend {toCount(dead)} failed
          </Button>
        ) : undefined
      }
    >
      <p className="quiet inset">
        {events.join(', ')} · {toCount(waiting)} queued · {toCount(dead)} failed for good
      </p>
      <p role="status" className="unseen">
        {replay.data && `${replay.data.replayed} queued to resend.`}
      </p>
      {replay.error && <Failure error={replay.error} />}
      <Table
        label={`Deliveries to ${id}`}
        orders={timeOrders}
        list={list}
        columns={columns}
        toKey={(row) => row.id}
        empty={state === '' ? 'No deliveries yet.' : `No ${state} deliveries.`}
      />
    </Card>
  )
}
