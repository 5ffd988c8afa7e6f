import type { Hex, TypedDataDefinition } from 'viem'
import type { SmartAccountClient } from '../../wallet/client/types.ts'
import { clientMutation } from './clientMutation.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that signs typed data so that it can be verified before deployment too (ERC-6492). */
export function signTypedDataMutationOptions(
  client: SmartAccountClient | undefined,
  options?: MutationOptions<Hex, { typedData: TypedDataDefinition }>,
): Mutation<Hex, { typedData: TypedDataDefinition }> {
  return clientMutation({
    hook: 'useSignTypedData',
    key: 'signTypedData',
    client,
    options,
    act: (by, parameters) => by.signTypedDataWith6492(parameters),
  })
}
