/** Handles missing tables, which another check reports (SQLSTATE 42P01). Rethrows other errors. */
export function allowMissingTable(error: unknown): string {
  if ((error as { code?: unknown }).code === '42P01') return 'none yet'
  throw error
}
