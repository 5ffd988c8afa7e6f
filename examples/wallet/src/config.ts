import type { Address } from 'viem'

/** What the local world tells this page; see `config.json` on the page's own origin. */
export type WalletConfig = {
  chainId: number
  nodeUrl: string
  gatewayUrl: string
  signerApiUrl: string
  apiKey: string
  policyId: string
  addresses: { demo: Address; paymaster06: Address; paymaster07: Address }
}

/** A server that does not answer: `url` is what was asked. */
export class ServerDown extends Error {
  readonly url: string

  constructor(url: string) {
    super(`${url} does not answer.`)
    this.url = url
  }
}

/**
 * Loads the configuration and asks the signer service for a sign of life, so that a world that does not run is
 * told at once and not after a person typed an address.
 */
export async function loadConfig(): Promise<WalletConfig> {
  const config = (await getJson(new URL('./config.json', location.href).href)) as WalletConfig
  await getJson(`${config.signerApiUrl}/signer/v1/config`)
  return config
}

async function getJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
    if (response.ok) return await response.json()
  } catch {
    // Refused, timed out or not JSON: all the same to the person in front of the page.
  }
  throw new ServerDown(url)
}
