import type { Hex } from 'viem'
import type { SmartAccountClient, WaitRetries } from '../../wallet/client/types.ts'
import { clientMutation } from './clientMutation.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that waits for the transaction of a user operation. */
export function waitForUserOperationTransactionMutationOptions(
  client: SmartAccountClient | undefined,
  options?: MutationOptions<Hex, { hash: Hex; retries?: WaitRetries }>,
): Mutation<Hex, { hash: Hex; retries?: WaitRetries }> {
  return clientMutation({
    hook: 'useWaitForUserOperationTransaction',
    key: 'waitForUserOperationTransaction',
    client,
    options,
    act: (by, parameters) => by.waitForUserOperationTransaction(parameters),
  })
}
