import type { Hex } from 'viem'
import type { SmartAccountClient, TransactionsParameters } from '../../wallet/client/types.ts'
import { clientMutation } from './clientMutation.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that sends transactions as one user operation and waits until it is in a block. */
export function sendTransactionsMutationOptions(
  client: SmartAccountClient | undefined,
  options?: MutationOptions<Hex, TransactionsParameters>,
): Mutation<Hex, TransactionsParameters> {
  return clientMutation({
    hook: 'useSendTransactions',
    key: 'sendTransactions',
    client,
    options,
    act: (by, parameters) => by.sendTransactions(parameters),
  })
}
