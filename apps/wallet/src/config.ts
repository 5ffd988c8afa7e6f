import type { Address } from 'viem'

/** Configuration by the local devnet: `config.json` of the page's own origin. */
export type WalletConfig = {
  chainId: number
  nodeUrl: string
  gatewayUrl: string
  signerApiUrl: string
  apiKey: string
  policyId: string
  addresses: { demo: Address; paymaster06: Address; paymaster07: Address }
}

/** A server that does not respond at `url`. */
export class ServerDown extends Error {
  readonly url: string

  constructor(url: string) {
    super(`${url} does not answer.`)
    this.url = url
  }
}

/** Loads the configuration, which the page has asked for already: `preload` in `index.html`. */
export async function loadConfig(): Promise<WalletConfig> {
  return (await getJson(new URL('./config.json', location.href).href)) as WalletConfig
}

/**
 * Requests the signer service once, so that a stopped devnet is reported at once, not after the user has typed an
 * address. A slow one is not reported: the page is in use by then, and its actions report their own errors.
 */
export async function checkServer({ signerApiUrl }: WalletConfig): Promise<void> {
  const late = AbortSignal.timeout(timeoutMs)
  await getJson(`${signerApiUrl}/signer/v1/config`, late).catch((error: unknown) => {
    if (!late.aborted) throw error
  })
}

const timeoutMs = 5000

async function getJson(url: string, signal = AbortSignal.timeout(timeoutMs)): Promise<unknown> {
  try {
    const response = await fetch(url, { signal })
    if (response.ok) return await response.json()
  } catch {
    // Refused, timed out and not JSON are the same to the user.
  }
  throw new ServerDown(url)
}
