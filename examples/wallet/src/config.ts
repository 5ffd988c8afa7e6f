import type { Address } from 'viem'

/** Configuration by the local world: `config.json` of the page's own origin. */
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
 * Makes one request to the signer service, so that a world that does not run is reported at once, not after the user has
 * typed an address.
 */
export async function checkServer({ signerApiUrl }: WalletConfig): Promise<void> {
  await getJson(`${signerApiUrl}/signer/v1/config`)
}

async function getJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
    if (response.ok) return await response.json()
  } catch {
    // Refused, timed out and not JSON are the same to the user.
  }
  throw new ServerDown(url)
}
