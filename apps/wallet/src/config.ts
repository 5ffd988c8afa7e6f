import type { Address } from 'viem'

/** Configuration that the local devnet serves as `config.json` on the page's own origin. */
export type WalletConfig = {
  chainId: number
  nodeUrl: string
  gatewayUrl: string
  signerApiUrl: string
  apiKey: string
  policyId: string
  addresses: { demo: Address; paymaster06: Address; paymaster07: Address }
}

/** Reports that the server at `url` does not respond. */
export class ServerDown extends Error {
  readonly url: string

  constructor(url: string) {
    super(`${url} does not answer.`)
    this.url = url
  }
}

/** Loads the configuration, which a `preload` in `index.html` has already requested. */
export async function loadConfig(): Promise<WalletConfig> {
  return (await getJson(new URL('./config.json', location.href).href)) as WalletConfig
}

/**
 * Requests the signer service once, so that a stopped devnet is reported immediately and not after the user has typed
 * an address. A slow response is not reported: the page is in use by then, and its actions report their own errors.
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
    // The user sees the same error for a refused connection, a timeout and a response that is not JSON.
  }
  throw new ServerDown(url)
}
