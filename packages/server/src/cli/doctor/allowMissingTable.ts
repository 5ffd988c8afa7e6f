/** Where the tables are missing, which is a finding of its own (SQLSTATE 42P01). Else throws the error. */
export function allowMissingTable(error: unknown): string {
  if ((error as { code?: unknown }).code === '42P01') return 'none yet'
  throw error
}
