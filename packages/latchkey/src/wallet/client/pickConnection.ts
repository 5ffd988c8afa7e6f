import type { Connection } from './types.ts'

/**
 * Picks the members of a connection from other parameters. In its own module, because the first load does not include
 * viem.
 */
export function pickConnection({ rpcUrl, apiKey, jwt, gateway, bundlerUrl }: Connection): Connection {
  return { rpcUrl, apiKey, jwt, gateway, bundlerUrl }
}
