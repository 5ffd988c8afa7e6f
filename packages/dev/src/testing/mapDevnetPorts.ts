import { portCount } from '../devnet/devnetPorts.ts'

/**
 * Returns Chromium switches that map an app built for a devnet at `builtFor` to this one's ports, so that each worker
 * of a test run has its own devnet and the app is built once.
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
  // The first port is the wallet's, which may be off; the second is always served.
  const base = Number(new URL(devnet.urls.signerApi).port) - 1
  const from = Number(new URL(builtFor).port)
  if (base === from) return []
  const rules = Array.from(
    { length: portCount },
    (_, offset) => `MAP localhost:${from + offset} 127.0.0.1:${base + offset}`,
  )
  return [`--host-resolver-rules=${rules.join(', ')}`]
}
