import { BaseError } from '../../core/errors/BaseError.ts'
import type { Middleware } from '../client/types.ts'
import { resolveDraft } from '../userOperation/resolveDraft.ts'
import { requestAssetChanges } from './requestAssetChanges.ts'

/** Asks the provider what the operation would change, and stops it when it would fail. */
export const simulate: Middleware = async (draft, context) => {
  const settled = await resolveDraft(draft)
  const { error } = await requestAssetChanges(context, settled)
  if (!error) return settled
  throw new BaseError(error.message, {
    code: 'CONTRACT_REVERTED',
    metaMessages: ['The simulation of the operation failed. Nothing was sent.'],
  })
}
