import type { Middleware } from '../client/types.ts'
import { hashUserOperation } from '../userOperation/hashUserOperation.ts'
import { requireComplete } from '../userOperation/requireComplete.ts'
import { resolveDraft } from '../userOperation/resolveDraft.ts'

/** Signs the operation with the account's owner. Throws `USER_OPERATION_INVALID` when something is missing. */
export const sign: Middleware = async (draft, { account, client }) => {
  const struct = requireComplete(await resolveDraft(draft), account.entryPointVersion)
  return {
    ...struct,
    signature: await account.signUserOperationHash(hashUserOperation(account, struct, client.chain.id)),
  }
}
