import { BaseError } from '../../core/errors/BaseError.ts'
import { gatewayMethods } from '../../wire/gateway.ts'
import type { Middleware } from '../client/types.ts'
import { readObject, rpc } from '../rpc.ts'
import { resolveDraft } from '../userOperation/resolveDraft.ts'
import { toRequest } from '../userOperation/toRequest.ts'

const action = 'Could not simulate the operation.'

/** Asks the provider what the operation would change, and stops it when it would fail. */
export const simulate: Middleware = async (draft, { client, account }) => {
  const settled = await resolveDraft(draft)
  const answer = readObject(
    await rpc(client, {
      method: gatewayMethods.simulateUserOperationAssetChanges,
      params: [toRequest(settled), account.entryPoint.address],
      action,
    }),
    action,
  )
  if (!answer.error) return settled
  const { message } = readObject(answer.error, action)
  throw new BaseError(typeof message === 'string' ? message : action, {
    code: 'CONTRACT_REVERTED',
    metaMessages: ['The simulation of the operation failed. Nothing was sent.'],
  })
}
