import type { Connection } from './types.ts'

/**
 * Picks the members of a connection from larger parameters. Separate from the transport, since the first load has no
 * viem.
 */
export function pickConnection({ rpcUrl, apiKey, jwt, gateway, bundlerUrl }: Connection): Connection {
  return { rpcUrl, apiKey, jwt, gateway, bundlerUrl }
}
