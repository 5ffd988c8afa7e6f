import { BaseError } from '../../core/errors/BaseError.ts'
import type {
  SendUserOperationParameters,
  SendUserOperationResult,
  SmartAccountClient,
} from '../../wallet/client/types.ts'
import type { Mutation, MutationOptions } from './types.ts'

/** Options of the mutation that sends a user operation. */
export function sendUserOperationMutationOptions(
  client: SmartAccountClient | undefined,
  waitForTxn: boolean,
  options?: MutationOptions<SendUserOperationResult, SendUserOperationParameters>,
): Mutation<SendUserOperationResult, SendUserOperationParameters> {
  return {
    ...options,
    mutationKey: ['sendUserOperation'],
    mutationFn: async (parameters: SendUserOperationParameters): Promise<SendUserOperationResult> => {
      if (!client) throw clientMissing('useSendUserOperation')
      const result = await client.sendUserOperation(parameters)
      if (!waitForTxn) return result
      return { ...result, hash: await client.waitForUserOperationTransaction({ hash: result.hash }) }
    },
  }
}

function clientMissing(hook: string): BaseError {
  return new BaseError(`client must be defined in ${hook}`, {
    code: 'CLIENT_MISSING',
    metaMessages: ['Pass the client of useSmartAccountClient once it is there.'],
  })
}
