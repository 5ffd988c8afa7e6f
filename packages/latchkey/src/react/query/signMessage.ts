import type { Hex, SignableMessage } from 'viem'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { clientMutation } from './clientMutation.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that signs a message so that it can be verified before deployment too (ERC-6492). */
export function signMessageMutationOptions(
  client: SmartAccountClient | undefined,
  options?: MutationOptions<Hex, { message: SignableMessage }>,
): Mutation<Hex, { message: SignableMessage }> {
  return clientMutation({
    hook: 'useSignMessage',
    key: 'signMessage',
    client,
    options,
    act: (by, parameters) => by.signMessageWith6492(parameters),
  })
}
