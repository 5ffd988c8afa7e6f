import { portCount } from '../devnet/devnetPorts.ts'

/**
 * Returns Chromium switches that redirect the ports of the devnet `builtFor` to those of `devnet`. Each test worker can
 * then use its own devnet with a single build of the app.
 *
 * @example
 * ```ts
 * import { launchBrowser, mapDevnetPorts, startTestDevnet } from 'latchkey-dev/testing'
 *
 * const devnet = await startTestDevnet()
 * const browser = await launchBrowser({ args: mapDevnetPorts(devnet, 'http://localhost:4100') })
 * ```
 */
export function mapDevnetPorts(devnet: { urls: { signerApi: string } }, builtFor = 'http://localhost:4100'): string[] {
  // The first port, the wallet's, may be unused. The second port is always the signer API's.
  const base = Number(new URL(devnet.urls.signerApi).port) - 1
  const from = Number(new URL(builtFor).port)
  if (base === from) return []
  const rules = Array.from(
    { length: portCount },
    (_, offset) => `MAP localhost:${from + offset} 127.0.0.1:${base + offset}`,
  )
  return [`--host-resolver-rules=${rules.join(', ')}`]
}
