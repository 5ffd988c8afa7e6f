import type { Hex } from 'viem'
import type { SmartAccountClient, TransactionInput } from '../../wallet/client/types.ts'
import { clientMutation } from './clientMutation.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that sends a transaction as a user operation and waits until it is in a block. */
export function sendTransactionMutationOptions(
  client: SmartAccountClient | undefined,
  options?: MutationOptions<Hex, TransactionInput>,
): Mutation<Hex, TransactionInput> {
  return clientMutation({
    hook: 'useSendTransaction',
    key: 'sendTransaction',
    client,
    options,
    act: (by, transaction) => by.sendTransaction(transaction),
  })
}
