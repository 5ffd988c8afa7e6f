import type { Address } from 'viem'

/** Configuration that the devnet serves as `config.json` at the page's origin. */
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

/** Loads the configuration. A `preload` in `index.html` has already requested it. */
export async function loadConfig(): Promise<WalletConfig> {
  return (await getJson(new URL('./config.json', location.href).href)) as WalletConfig
}

/**
 * Sends one request to the signer service, so that a stopped devnet is reported before the user types an e-mail
 * address. Ignores a slow response: the user may already be using the page, whose actions report their own errors.
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
    // A refused connection, a timeout and an invalid response show the same error.
  }
  throw new ServerDown(url)
}
