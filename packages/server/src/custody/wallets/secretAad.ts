/** A row that keeps a secret under a data key of its own. `version` grows when the data key changes. */
export type SecretIdentity = {
  table: 'wallets' | 'wallet_accounts' | 'private_keys' | 'import_targets'
  orgId: string
  id: string
  version: number
}

/** Binds a secret and its data key to one row: moved to another row, neither can be opened. */
export function secretAad({ table, orgId, id, version }: SecretIdentity): Uint8Array {
  const place = `${orgId}|${id}|${version}`
  return new TextEncoder().encode(table === 'wallets' ? place : `${table}|${place}`)
}
