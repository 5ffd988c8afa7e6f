import { BaseError } from '../core/errors/BaseError.ts'
import { requireOnline } from '../core/requireOnline.ts'
import type { Signer } from '../signer/types.ts'
import { requirePage } from '../wallet/actions/account.ts'
import type { SmartAccountClient } from '../wallet/client/types.ts'
import type { LatchkeyConfig } from '../wallet/store/types.ts'
import { requireSigner } from './requireSigner.ts'

/** Options of a mutation for TanStack Query, whichever framework it is used with. */
export type ConfigMutation<data, variables> = {
  readonly mutationKey: readonly [string]
  mutationFn(this: void, variables: variables): Promise<data>
  readonly networkMode: 'always'
}

/** Offline TanStack Query keeps what was pressed and runs it once online, unasked: minutes later, or never. */
export const neverQueued = { networkMode: 'always' } as const

export declare namespace clientMutation {
  type Parameters<data, variables> = {
    client: SmartAccountClient | undefined
    /** Name of the public hook, for error messages. */
    hook: string
    key: string
    act: (client: SmartAccountClient, variables: variables) => Promise<data>
  }
}

/** A mutation that calls a smart account client. Without one it fails with `CLIENT_MISSING`; on a server with `CLIENT_ONLY`. */
export function clientMutation<data, variables>(
  config: LatchkeyConfig,
  { client, hook, key, act }: clientMutation.Parameters<data, variables>,
): ConfigMutation<data, variables> {
  return {
    ...neverQueued,
    mutationKey: [key],
    async mutationFn(variables) {
      requireOnline()
      if (client) return act(client, variables)
      requirePage(config, 'account')
      throw new BaseError(`client must be defined in ${hook}`, {
        code: 'CLIENT_MISSING',
        metaMessages: ['Pass the client of useSmartAccountClient once it is there.'],
      })
    },
  }
}

/** A mutation that calls the signer. Before the page has mounted it fails with `SIGNER_NOT_CONNECTED`, on a server with `CLIENT_ONLY`. */
export function signerMutation<data, variables>(
  config: LatchkeyConfig,
  key: string,
  act: (signer: Signer, variables: variables) => Promise<data>,
): ConfigMutation<data, variables> {
  return {
    ...neverQueued,
    mutationKey: [key],
    async mutationFn(variables) {
      requireOnline()
      return act(requireSigner(config), variables)
    },
  }
}
