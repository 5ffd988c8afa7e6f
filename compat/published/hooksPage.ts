import type { Hex } from 'viem'

/** Pages with published hooks of any version expose this to tests. */
export type HooksPage = {
  status: string
  user: { email?: string; address: Hex; orgId: string } | null
  /** The address is undefined until the account's client is ready. */
  address: Hex | undefined
  isExported: boolean
  exportError: string | undefined
  authenticate(parameters: object): Promise<unknown>
  /** Sends a sponsored operation and resolves to its transaction. */
  send(): Promise<Hex>
  signMessage(message: string): Promise<Hex>
  signTypedData(typedData: object): Promise<Hex>
  addPasskey(): Promise<unknown>
  exportAccount(): void
  logout(): Promise<unknown>
}

/** 3.14.1 lacks these hooks. */
export type LaterHooks = {
  callsStatus: number | undefined
  sendCalls(): Promise<Hex>
  /** Grants a key permissions and resolves to their context. */
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
