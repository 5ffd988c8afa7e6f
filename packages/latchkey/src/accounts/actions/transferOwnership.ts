import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import type { BaseError } from '../../core/errors/BaseError.ts'
import type { OwnerParameter } from '../owner.ts'
import { toOwner } from '../toOwner.ts'
import { callSelf } from './callSelf.ts'
import type { OperationClient, SendOptions } from './OperationClient.ts'

const abi = /* @__PURE__ */ parseAbi(['function transferOwnership(address newOwner)'])

export declare namespace transferOwnership {
  type Parameters = SendOptions & { newOwner: OwnerParameter | Address }
  /** Hash of the user operation, or of the transaction with `waitForTxn`. */
  type ReturnType = Hex
  type ErrorType = BaseError
}

/**
 * Gives a LightAccount to another owner. From then on the present one can do nothing with it. The contract refuses the
 * zero address, the account itself and the present owner (`ContractRevertedError` `InvalidOwner`). Throws
 * `ADDRESS_INVALID`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`.
 */
export async function transferOwnership(
  client: OperationClient,
  { newOwner, ...options }: transferOwnership.Parameters,
): Promise<transferOwnership.ReturnType> {
  const owner = requireAddress(typeof newOwner === 'string' ? newOwner : await toOwner(newOwner).getAddress())
  const data = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [owner] })
  return callSelf(client, { ...options, data }, 'transferOwnership')
}
