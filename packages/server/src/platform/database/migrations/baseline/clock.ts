/** The database's clock, which a devnet can set ahead (`devnetClock.ts`). Columns that are filled by default take it, too. */
export const clock: readonly string[] = [
  // No row in production; one in a devnet whose time was moved. Only the owner of the tables may write it.
  `create table devnet_clock (
    id boolean primary key default true check (id),
    ahead interval not null
  )`,
  // Its body is bound to the table now, not by the search path of its caller.
  `create function latchkey_now() returns timestamptz language sql stable parallel safe
    return now() + coalesce((select ahead from devnet_clock), interval '0')`,
]
