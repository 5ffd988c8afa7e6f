import type {
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
} from '../../wallet/client/types.ts'
import { toWaitError } from '../../wallet/errors/toWaitError.ts'
import { clientMutation } from './clientMutation.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that sends a user operation. */
export function sendUserOperationMutationOptions(
  client: SmartAccountClient | undefined,
  waitForTxn: boolean,
  options?: MutationOptions<SendUserOperationResult, SendUserOperationParameters>,
): Mutation<SendUserOperationResult, SendUserOperationParameters> {
  return clientMutation({
    hook: 'useSendUserOperation',
    key: 'sendUserOperation',
    client,
    options,
    act: async (sender, parameters) => {
      const result = await sender.sendUserOperation(parameters)
      if (!waitForTxn) return result
      try {
        return { ...result, hash: await sender.waitForUserOperationTransaction({ hash: result.hash }) }
      } catch (cause) {
        throw toWaitError(cause, result.request)
      }
    },
  })
}
