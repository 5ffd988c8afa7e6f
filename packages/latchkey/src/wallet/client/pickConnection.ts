import type { Connection } from './types.ts'

/** The members of a connection, of parameters that hold more. Apart from the transport, since the first load has no viem. */
export function pickConnection({ rpcUrl, apiKey, jwt, gateway, bundlerUrl }: Connection): Connection {
  return { rpcUrl, apiKey, jwt, gateway, bundlerUrl }
}
