import { type Address, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { requireAddress } from '../../core/arguments.ts'
import { type OwnerParameter, toOwner } from '../owner.ts'
import type { OperationClient, SendOptions } from './OperationClient.ts'
import { callSelf } from './sendCallData.ts'

const abi = /* @__PURE__ */ parseAbi(['function transferOwnership(address newOwner)'])

export declare namespace transferOwnership {
  type Parameters = SendOptions & { newOwner: OwnerParameter | Address }
  /** Hash of the user operation, or transaction hash with `waitForTxn`. */
  type ReturnType = Hex
}

/**
 * Transfers a LightAccount to another owner; the current owner loses all rights. The contract refuses the zero address,
 * the account itself and the current owner (`InvalidOwner`).
 *
 * @throws `ADDRESS_INVALID`, `OWNER_NOT_FOUND`, `CLIENT_INCOMPATIBLE`, `ACCOUNT_NOT_FOUND`, `CONTRACT_REVERTED`.
 *
 * @example
 * ```ts
 * import { transferOwnership } from 'latchkey/accounts'
 * import { client } from './config.ts'
 *
 * const newOwner = '0x1111111111111111111111111111111111111111'
 * const hash = await transferOwnership(client, { newOwner, waitForTxn: true })
 * console.log(hash)
 * ```
 */
export async function transferOwnership(
  client: OperationClient,
  { newOwner, ...options }: transferOwnership.Parameters,
): Promise<transferOwnership.ReturnType> {
  const owner = requireAddress(typeof newOwner === 'string' ? newOwner : await toOwner(newOwner).getAddress())
  const data = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [owner] })
  return callSelf(client, { ...options, data }, 'transferOwnership')
}
