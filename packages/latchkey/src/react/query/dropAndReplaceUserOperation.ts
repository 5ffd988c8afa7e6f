import type { SendUserOperationResult, SmartAccountClient } from '../../wallet/client/types.ts'
import { clientMutation } from './clientMutation.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** `uoToDrop` is the `request` of the operation that waits. */
export type DropAndReplaceParameters = Parameters<SmartAccountClient['dropAndReplaceUserOperation']>[0]

/** Options of the mutation that sends a waiting operation again at a higher price. */
export function dropAndReplaceUserOperationMutationOptions(
  client: SmartAccountClient | undefined,
  options?: MutationOptions<SendUserOperationResult, DropAndReplaceParameters>,
): Mutation<SendUserOperationResult, DropAndReplaceParameters> {
  return clientMutation({
    hook: 'useDropAndReplaceUserOperation',
    key: 'dropAndReplaceUserOperation',
    client,
    options,
    act: (by, parameters) => by.dropAndReplaceUserOperation(parameters),
  })
}
