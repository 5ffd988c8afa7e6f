import type { Hex } from 'viem'

/** Interface of the pages with published hooks, for all versions. */
export type HooksPage = {
  status: string
  user: { email?: string; address: Hex; orgId: string } | null
  /** Address; undefined until the account's client is ready. */
  address: Hex | undefined
  isExported: boolean
  exportError: string | undefined
  authenticate(parameters: object): Promise<unknown>
  /** Sends a sponsored operation. Resolves to its transaction hash. */
  send(): Promise<Hex>
  signMessage(message: string): Promise<Hex>
  signTypedData(typedData: object): Promise<Hex>
  addPasskey(): Promise<unknown>
  exportAccount(): void
  logout(): Promise<unknown>
}

/** Hooks that 3.14.1 lacks. */
export type LaterHooks = {
  callsStatus: number | undefined
  sendCalls(): Promise<Hex>
  /** Grants permissions to a key. Resolves to the permissions context. */
  grantPermissions(publicKey: Hex, permissions: object[]): Promise<Hex>
}

declare global {
  interface Window {
    hooks: HooksPage
    laterHooks: LaterHooks
  }
}

export function readPageConfig(): { rootOrgId: string; chainId: number; apiKey: string } {
  return JSON.parse(document.getElementById('config')?.textContent ?? '{}')
}
