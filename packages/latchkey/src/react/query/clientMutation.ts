import { BaseError } from '../../core/errors/BaseError.ts'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import type { Mutation, MutationOptions } from './types.ts'

export declare namespace clientMutation {
  type Parameters<data, variables> = {
    /** Name of the hook, for the error. */
    hook: string
    key: string
    client: SmartAccountClient | undefined
    options: MutationOptions<data, variables> | undefined
    act: (client: SmartAccountClient, variables: variables) => Promise<data>
  }
}

/** A mutation that needs a client. Without one it fails with 'client must be defined in {hook}'. */
export function clientMutation<data, variables>(
  parameters: clientMutation.Parameters<data, variables>,
): Mutation<data, variables> {
  const { hook, key, client, options, act } = parameters
  return {
    ...options,
    mutationKey: [key],
    mutationFn: async (variables) => {
      if (client) return act(client, variables)
      throw new BaseError(`client must be defined in ${hook}`, {
        code: 'CLIENT_MISSING',
        metaMessages: ['Pass the client of useSmartAccountClient once it is there.'],
      })
    },
  }
}
