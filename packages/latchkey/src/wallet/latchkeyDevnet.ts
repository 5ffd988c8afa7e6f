import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import type { LatchkeyChain } from '../core/chains/types.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import { latchkeyEndpoints } from '../signer/endpoints.ts'
import type { Endpoints } from '../signer/types.ts'

export declare namespace latchkeyDevnet {
  type Options = {
    /** Chain id of the devnet (`--chain-id`). @default 31337 */
    chainId?: number | undefined
  }
  /** Parameters of `createConfig`. */
  type ReturnType = { chain: LatchkeyChain; apiKey: string; endpoints: Endpoints }
}

/**
 * Returns the parameters of `createConfig` for a devnet (`npm start`, `latchkey-dev`), derived from the URL of its
 * example wallet. The wallet's port is the first of the devnet's ports. Sends no request.
 *
 * @throws `ARGUMENT_INVALID` for a URL without a port.
 *
 * @example
 * ```ts
 * import { createConfig, latchkeyDevnet } from 'latchkey'
 *
 * export const config = createConfig(latchkeyDevnet('http://localhost:4100'))
 * ```
 */
export function latchkeyDevnet(
  url = 'http://localhost:4100',
  { chainId }: latchkeyDevnet.Options = {},
): latchkeyDevnet.ReturnType {
  const base = URL.canParse(url) ? Number(new URL(url).port) : 0
  if (base === 0)
    throw new BaseError('The URL of a devnet names its first port, such as http://localhost:4100.', {
      code: 'ARGUMENT_INVALID',
    })
  const at = (offset: number) => `http://localhost:${base + offset}`
  return {
    chain: defineLatchkeyDevChain({ id: chainId, nodeUrl: at(9), gatewayUrl: at(3) }),
    apiKey: 'latchkey-dev',
    endpoints: latchkeyEndpoints(at(1)),
  }
}
