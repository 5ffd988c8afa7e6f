import { BaseError } from '../core/errors/BaseError.ts'
import { requireOnline } from '../core/requireOnline.ts'
import type { Signer } from '../signer/types.ts'
import { requirePage } from '../wallet/actions/account.ts'
import type { SmartAccountClient } from '../wallet/client/types.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { requireSigner } from './requireSigner.ts'

/** Options of a mutation for TanStack Query, for any framework. */
export type ConfigMutation<data, variables> = {
  readonly mutationKey: readonly [string]
  mutationFn(this: void, variables: variables): Promise<data>
  readonly networkMode: 'always'
}

/**
 * Disables TanStack Query's offline queue, which would run a mutation unexpectedly once the browser is online again.
 */
export const neverQueued = { networkMode: 'always' } as const

/** Returns a function that creates a mutation's options from the config and passes `params` to `act`. */
export function configMutation<data, variables, params extends readonly unknown[] = []>(
  key: string,
  act: (config: LatchkeyConfig, variables: variables, ...params: params) => Promise<data>,
): (config: LatchkeyConfig, ...params: params) => ConfigMutation<data, variables> {
  return (config, ...params) => ({
    ...neverQueued,
    mutationKey: [key],
    mutationFn: async (variables) => act(config, variables, ...params),
  })
}

/**
 * Creates the options of a mutation that calls a smart account client. It fails with `CLIENT_MISSING` without a client,
 * and with `CLIENT_ONLY` on a server. `hook`: the public hook, for error messages.
 */
export function clientMutation<data, variables, more = unknown>(
  key: string,
  act: (client: SmartAccountClient, variables: variables, more: more) => Promise<data>,
  hook = `use${key[0]?.toUpperCase()}${key.slice(1)}`,
) {
  type Parameters = { client: SmartAccountClient | undefined } & more
  return configMutation(key, (config, variables: variables, parameters: Parameters) => {
    requireOnline()
    if (parameters.client) return act(parameters.client, variables, parameters)
    requirePage(config, 'account')
    throw new BaseError(`client must be defined in ${hook}`, { code: 'CLIENT_MISSING' })
  })
}

/**
 * Creates the options of a mutation that calls the signer. It fails with `SIGNER_NOT_CONNECTED` before the page has
 * mounted, and with `CLIENT_ONLY` on a server.
 */
export function signerMutation<data, variables, params extends readonly unknown[] = []>(
  key: string,
  act: (signer: Signer, variables: variables, config: LatchkeyConfig, ...params: params) => Promise<data>,
) {
  return configMutation(key, (config, variables: variables, ...params: params) => {
    requireOnline()
    return act(requireSigner(config), variables, config, ...params)
  })
}
