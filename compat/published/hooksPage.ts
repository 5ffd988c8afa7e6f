import type { Hex } from 'viem'

/** What a page with published hooks shows of them, whichever version they are of. */
export type HooksPage = {
  status: string
  user: { email?: string; address: Hex; orgId: string } | null
  /** Of the smart account; undefined until its client is there. */
  address: Hex | undefined
  isExported: boolean
  exportError: string | undefined
  authenticate(parameters: object): Promise<unknown>
  /** A sponsored operation; resolves to its transaction. */
  send(): Promise<Hex>
  /** Both kinds, by the account. */
  signMessage(message: string): Promise<Hex>
  signTypedData(typedData: object): Promise<Hex>
  addPasskey(): Promise<unknown>
  exportAccount(): void
  logout(): Promise<unknown>
}

/** Those that 3.14.1 has not. */
export type LaterHooks = {
  /** Of the calls sent last. */
  callsStatus: number | undefined
  sendCalls(): Promise<Hex>
}

declare global {
  interface Window {
    hooks: HooksPage
    laterHooks: LaterHooks
  }
}

/** What the stage gives the page. */
export function readPageConfig(): { rootOrgId: string; chainId: number; apiKey: string } {
  return JSON.parse(document.getElementById('config')?.textContent ?? '{}')
}
