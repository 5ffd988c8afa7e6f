import { type AssetChange, gatewayMethods, type SimulateAssetChangesResult } from 'latchkey-protocol'
import { BaseError } from '../../core/errors/BaseError.ts'
import { readObject, rpc } from '../rpc.ts'
import { toRequest } from '../userOperation/states.ts'
import type { SettledDraft } from '../userOperation/types.ts'
import type { MiddlewareContext, SettledStep } from './types.ts'

const action = 'Could not simulate the operation.'

/** Simulates the operation at the provider, and throws if the operation would fail. */
export const simulate: SettledStep = async (draft, context) => {
  const { error } = await requestAssetChanges(context, draft)
  if (!error) return draft
  throw new BaseError(error.message, {
    code: 'CONTRACT_REVERTED',
    metaMessages: ['The simulation of the operation failed. Nothing was sent.'],
  })
}

/**
 * Calls `alchemy_simulateUserOperationAssetChanges` and returns the asset changes of an operation.
 *
 * @throws `RESPONSE_INVALID`.
 */
export async function requestAssetChanges(
  { account, client }: Pick<MiddlewareContext, 'account' | 'client'>,
  draft: SettledDraft,
): Promise<SimulateAssetChangesResult> {
  const method = gatewayMethods.simulateUserOperationAssetChanges
  const params = [toRequest(draft), account.entryPoint.address]
  const { changes, error } = readObject(await rpc(client, { method, params, action }), action)
  if (!Array.isArray(changes) || !changes.every(isAssetChange)) {
    throw new BaseError(`${action} The service's answer was not a list of changes.`, { code: 'RESPONSE_INVALID' })
  }
  if (!error) return { changes }
  const { message } = readObject(error, action)
  return { changes, error: { message: typeof message === 'string' ? message : action } }
}

function isAssetChange(value: unknown): value is AssetChange {
  if (typeof value !== 'object' || value === null) return false
  const { assetType, changeType, from, to } = value as Partial<Record<keyof AssetChange, unknown>>
  return [assetType, changeType, from, to].every((field) => typeof field === 'string')
}
