import { Card } from '@latchkey/ui/Card'
import { Field } from '@latchkey/ui/Field'
import type { ColumnDef } from '@tanstack/react-table'
import type { AdminOperation } from 'latchkey-protocol/admin'
import { useChains, useLiveOperations, useOperations, usePolicies } from '../api/queries.ts'
import { shorten, toCount, toPlain } from '../format.ts'
import { Ago } from '../parts/Ago.tsx'
import { Hex, Pill } from '../parts/Figures.tsx'
import { Link } from '../parts/Link.tsx'
import { ParameterChoice, StateFilter } from '../parts/StateFilter.tsx'
import { StatePill } from '../parts/StatePill.tsx'
import { Table, timeOrders } from '../parts/Table.tsx'
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
    header: 'Prepared → signed → sent → included',
    cell: ({ row: { original } }) =>
      original.failure ? (
        <span className="failure">{toPlain(original.failure)}</span>
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
    header: 'Created',
    cell: ({ row: { original } }) => <Ago at={original.createdAt} />,
  },
]

const operationOrders = { ...timeOrders, gas: { descending: 'most-gas', ascending: 'least-gas' } } as const

const states = ['prepared', 'signed', 'sent', 'seen', 'included', 'replaced', 'dropped', 'failed'] as const

export const LiveMark = ({ isLive }: { isLive: boolean }) =>
  isLive ? <Pill tone="ok">Live</Pill> : <Pill tone="warn">Connecting</Pill>

export function Operations({ projectId }: { projectId: string }) {
  const isLive = useLiveOperations(projectId)
  const filter = useFilter()
  const { sender } = filter
  const isAddress = addressForm.test(sender)
  // Skips incomplete addresses, which the server would refuse.
  const list = useOperations({ projectId, ...filter, sender: isAddress ? sender : '' })
  return (
    <Card title="All operations" aside={<LiveMark isLive={isLive} />}>
      <div className="filters">
        <StateFilter states={states} />
        <Field className="grow" label="Account">
          <input
            value={sender}
            placeholder="0x…"
            spellCheck={false}
            aria-invalid={sender !== '' && !isAddress}
            onChange={(event) => setParameter('sender', event.target.value.trim())}
          />
        </Field>
        <MoreFilters projectId={projectId} />
      </div>
      {sender !== '' && !isAddress && <p className="quiet inset">Enter a full address (0x and 40 hex digits).</p>}
      <Table
        label="Operations"
        orders={operationOrders}
        list={list}
        columns={operationColumns}
        toKey={({ userOpHash }) => userOpHash}
        empty={
          Object.values(filter).some((value) => value !== '')
            ? 'No matching operations'
            : 'No operations yet. New ones show up here right away.'
        }
      />
    </Card>
  )
}

const addressForm = /^0x[0-9a-fA-F]{40}$/
const dayForm = /^\d{4}-\d\d-\d\d$/
const toMoment = (day: string, plusDays = 0) =>
  dayForm.test(day) ? new Date(Date.parse(day) + plusDays * 86_400_000).toISOString() : ''

/** Returns the URL's filter in the form of the API. Empty members do not restrict. */
function useFilter() {
  const { searchParams } = usePath()
  const read = (name: string) => searchParams.get(name) ?? ''
  return {
    state: read('state'),
    sender: read('sender'),
    chainId: /^[1-9]\d{0,14}$/.test(read('chain')) ? read('chain') : '',
    policyId: read('policy'),
    from: toMoment(read('from')),
    // Includes the last day.
    to: toMoment(read('until'), 1),
  }
}

/** Uses whole UTC days, like budgets. */
function MoreFilters({ projectId }: { projectId: string }) {
  const { searchParams } = usePath()
  const chains = useChains()
  const policies = usePolicies(projectId)
  const chainIds = chains.data?.items.map(({ chainId }) => String(chainId)) ?? []
  const policyIds = policies.data?.pages.flatMap(({ items }) => items.map(({ id }) => id)) ?? []
  return (
    <>
      <ParameterChoice name="chain" label="Chain" values={chainIds} />
      <ParameterChoice name="policy" label="Gas policy" values={policyIds} />
      {(['from', 'until'] as const).map((name) => (
        <Field key={name} label={name === 'from' ? 'From (UTC)' : 'To (UTC)'}>
          <input
            type="date"
            value={searchParams.get(name) ?? ''}
            onChange={(event) => setParameter(name, event.target.value)}
          />
        </Field>
      ))}
    </>
  )
}
