/**
 * Returns whether PostgreSQL is unreachable: a refused or broken connection, or one of these SQLSTATEs. Class 08 and
 * 57P01 to 57P05 are connection failures and shutdowns, 3D000 is a missing database, as during a restore, and 53300
 * means that no connection is left. Some driver errors have no code; the last pattern matches a transaction that ends
 * on a broken connection. Other outgoing calls throw a `ServerError`.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return unreachable.test(code)
  return /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout|is not queryable$/.test(
    error.message,
  )
}

const unreachable =
  /^(?:ECONN(?:REFUSED|RESET)|EPIPE|ENOTFOUND|EAI_AGAIN|E(?:HOST|NET)UNREACH|ETIMEDOUT|08\w{3}|3D000|53300|57P0[1-5])$/

/** Returns whether the database is read-only (25006), for example because it was replaced as the primary. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006'
}

/**
 * Returns whether PostgreSQL runs but cannot write: read-only, disk or memory full (class 53), or disk failure (58030).
 */
export function isDatabaseUnable(error: unknown): boolean {
  return isReadOnly(error) || /^(?:53\w{3}|58030)$/.test(sqlState(error))
}

/**
 * Returns whether a transaction was rolled back because of another one, so that a retry may succeed. SQLSTATE 40001
 * (serialization), 40P01 (deadlock).
 */
export function isConflict(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(sqlState(error))
}

/** Returns whether an error is a conflict or a statement timeout: 55P03 (for a lock), 57014 (statement_timeout). */
export function isDatabaseBusy(error: unknown): boolean {
  return isConflict(error) || /^(?:55P03|57014)$/.test(sqlState(error))
}

function sqlState(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
