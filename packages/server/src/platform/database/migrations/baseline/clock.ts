/** The database's clock, which a devnet can set ahead (`devnetClock.ts`). Column defaults use it too. */
export const clock: readonly string[] = [
  // Empty in production; one row in a devnet whose clock was moved. Only the tables' owner may write it.
  `create table devnet_clock (
    id boolean primary key default true check (id),
    ahead interval not null
  )`,
  // Binds the function's body to the table at creation, not through the caller's search path.
  `create function latchkey_now() returns timestamptz language sql stable parallel safe
    return now() + coalesce((select ahead from devnet_clock), interval '0')`,
]
