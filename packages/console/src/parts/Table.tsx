import { Button } from '@latchkey/ui/Button'
import { type ColumnDef, flexRender, getCoreRowModel, useReactTable } from '@tanstack/react-table'
import { type Order, setParameter, useOrder } from '../places.ts'
import { Empty, Failure, Waiting } from './Notice.tsx'

/** The used part of a TanStack Query list. */
type List<row> = {
  data?: { pages: readonly { items: readonly row[] }[] } | undefined
  error: unknown
  isPending: boolean
  hasNextPage: boolean
  isFetchingNextPage: boolean
  fetchNextPage(): unknown
  refetch(): unknown
}

type Props<row> = {
  /** Label of the whole table, for screen readers. */
  label: string
  list: List<row>
  columns: readonly ColumnDef<row>[]
  toKey(row: row): string
  /** Sortable columns, by id. */
  orders?: Readonly<Record<string, HeadOrder>>
  /** Shown if there are no rows. */
  empty: React.ReactNode
}

/** Both orders of a column, the default first. */
type HeadOrder = { descending: Order; ascending: Order }

/** Orders of a list by time, in the column `at`. */
export const timeOrders = { at: { descending: 'newest', ascending: 'oldest' } } as const

const orderNames = {
  newest: 'newest first',
  oldest: 'oldest first',
  'most-gas': 'most first',
  'least-gas': 'least first',
} as const

function OrderHead({ id, orders, children }: { id: string; orders: HeadOrder; children: React.ReactNode }) {
  const order = useOrder()
  const isAscending = order === orders.ascending
  const isOrdered = isAscending || order === orders.descending
  const next = order === orders.descending ? orders.ascending : orders.descending
  return (
    <th scope="col" data-column={id} aria-sort={isAscending ? 'ascending' : isOrdered ? 'descending' : 'none'}>
      <button type="button" className="order" onClick={() => setParameter('order', next === 'newest' ? '' : next)}>
        {children} <span aria-hidden="true">{isAscending ? '↑' : isOrdered ? '↓' : '↕'}</span>
        {isOrdered && <span className="unseen">{orderNames[order]}</span>}
      </button>
    </th>
  )
}

/** Shows a list's rows, a page at a time, in the server's order. */
export function Table<row>({ label, list, columns, toKey, orders = {}, empty }: Props<row>) {
  const rows = list.data?.pages.flatMap(({ items }) => items) ?? []
  const table = useReactTable({
    data: rows,
    columns: [...columns],
    getCoreRowModel: getCoreRowModel(),
    getRowId: toKey,
    manualPagination: true,
  })
  if (list.isPending) return <Waiting />
  if (list.error && rows.length === 0) return <Failure error={list.error} onRetry={() => list.refetch()} />
  if (rows.length === 0) return <Empty>{empty}</Empty>
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard. */}
      <section className="scroll" aria-label={`Rows: ${label}`} tabIndex={0}>
        <table>
          <thead>
            {table.getHeaderGroups().map((group) => (
              <tr key={group.id}>
                {group.headers.map((header) => {
                  const name = flexRender(header.column.columnDef.header, header.getContext())
                  const headOrders = orders[header.id]
                  return headOrders ? (
                    <OrderHead key={header.id} id={header.id} orders={headOrders}>
                      {name}
                    </OrderHead>
                  ) : (
                    <th key={header.id} scope="col" data-column={header.id}>
                      {name}
                    </th>
                  )
                })}
              </tr>
            ))}
          </thead>
          <tbody>
            {table.getRowModel().rows.map((row) => (
              <tr key={row.id}>
                {row.getVisibleCells().map((cell) => (
                  <td
                    key={cell.id}
                    data-column={cell.column.id}
                    data-label={String(cell.column.columnDef.header ?? '')}
                  >
                    {flexRender(cell.column.columnDef.cell, cell.getContext())}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {list.error ? <Failure error={list.error} onRetry={() => list.refetch()} /> : null}
      {list.hasNextPage && (
        <p className="more">
          <Button isBusy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </p>
      )}
    </>
  )
}
