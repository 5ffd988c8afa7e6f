/**
 * Whether PostgreSQL or the way to it is down: a refused or broken connection, SQLSTATE class 08, or 57P01 to 57P03 (shut
 * down, starting up). Some of the driver's errors have no code; the last pattern is of a transaction that ends on a broken
 * connection. Other outgoing calls throw a `ServerError`.
 */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string')
    return /^(?:ECONN(?:REFUSED|RESET)|EPIPE|ENOTFOUND|ETIMEDOUT|08\w{3}|57P0[123])$/.test(code)
  return /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout|is not queryable$/.test(
    error.message,
  )
}

/**
 * A transaction that was rolled back for another one; trying again may succeed. SQLSTATE 40001 (serialization), 40P01
 * (deadlock).
 */
export function isConflict(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(sqlState(error))
}

/** A conflict, or a statement that waited too long: 55P03 (for a lock), 57014 (statement_timeout). */
export function isDatabaseBusy(error: unknown): boolean {
  return isConflict(error) || /^(?:55P03|57014)$/.test(sqlState(error))
}

function sqlState(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown }
  return typeof code === 'string' ? code : ''
}
