import { type Address, encodeFunctionData, type Hex, isAddress } from 'viem'
import { lightAccountAbi } from '../../../accounts/lightAccount/lightAccountAbi.ts'
import type { OwnerParameter } from '../../../accounts/owner.ts'
import { toOwner } from '../../../accounts/toOwner.ts'
import { BaseError } from '../../../core/errors/BaseError.ts'
import { requireSmartAccountClient } from '../../errors/requireSmartAccountClient.ts'
import { toWaitError } from '../../errors/toWaitError.ts'
import type { SendUserOperationParameters, SmartAccountClient } from '../types.ts'

export declare namespace transferOwnership {
  type Parameters = Pick<SendUserOperationParameters, 'overrides' | 'context'> & {
    newOwner: OwnerParameter | Address
    /** Resolve when it is done, with the transaction's hash. */
    waitForTxn?: boolean | undefined
  }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Gives a LightAccount to another owner. From then on the present one can do nothing with it. The contract refuses the
 * zero address, the account itself and the present owner (`InvalidOwner`).
 */
export async function transferOwnership(
  client: SmartAccountClient,
  { newOwner, waitForTxn = false, overrides, context }: transferOwnership.Parameters,
): Promise<transferOwnership.ReturnType> {
  requireSmartAccountClient(client, 'transferOwnership')
  const owner = typeof newOwner === 'string' ? newOwner : await toOwner(newOwner).getAddress()
  if (!isAddress(owner, { strict: false })) {
    throw new BaseError('The new owner is not an address.', {
      code: 'OWNER_NOT_FOUND',
      metaMessages: ['Pass an address, a signer or a viem account.'],
    })
  }
  const data = encodeFunctionData({ abi: lightAccountAbi, functionName: 'transferOwnership', args: [owner] })
  const uo = { target: client.account.address, data }
  const { hash, request } = await client.sendUserOperation({ uo, overrides, context })
  if (!waitForTxn) return hash
  try {
    return await client.waitForUserOperationTransaction({ hash })
  } catch (cause) {
    throw toWaitError(cause, request)
  }
}
