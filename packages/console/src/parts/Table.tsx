import { type ColumnDef, flexRender, getCoreRowModel, useReactTable } from '@tanstack/react-table'
import { setParameter, useOrder } from '../places.ts'
import { Empty, Failure, Waiting } from './Notice.tsx'

/** What a list query has, of TanStack Query. */
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
  /** Of the whole table, for people who do not see it. */
  label: string
  list: List<row>
  columns: readonly ColumnDef<row>[]
  toKey(row: row): string
  /**
   * The list is by time, in the column `at`: its head turns the order.
   * @default false
   */
  isTimed?: boolean
  /** Said where there is nothing. */
  empty: React.ReactNode
}

function TimeHead({ children }: { children: React.ReactNode }) {
  const isOldest = useOrder() === 'oldest'
  return (
    <th scope="col" aria-sort={isOldest ? 'ascending' : 'descending'}>
      <button type="button" className="order" onClick={() => setParameter('order', isOldest ? '' : 'oldest')}>
        {children} <span aria-hidden="true">{isOldest ? '↑' : '↓'}</span>
        <span className="unseen">{isOldest ? 'oldest first' : 'newest first'}</span>
      </button>
    </th>
  )
}

/** Rows of a list, a page at a time, as the server orders them. */
export function Table<row>({ label, list, columns, toKey, isTimed = false, empty }: Props<row>) {
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
                  if (isTimed && header.id === 'at') return <TimeHead key={header.id}>{name}</TimeHead>
                  return (
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
          <button
            type="button"
            className="button"
            disabled={list.isFetchingNextPage}
            onClick={() => list.fetchNextPage()}
          >
            {list.isFetchingNextPage ? 'Loading …' : 'Show more'}
          </button>
        </p>
      )}
    </>
  )
}
