import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type AccountParameter, callView, requireAccountAddress } from './callView.ts'

const abi = /* @__PURE__ */ parseAbi([
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
])

export declare namespace readEip712Domain {
  type Parameters = AccountParameter
  type ReturnType = {
    /** Bits that say which of the other members are used (ERC-5267). */
    fields: Hex
    name: string
    version: string
    chainId: bigint
    verifyingContract: Address
    salt: Hex
    extensions: readonly bigint[]
  }
  type ErrorType = BaseError
}

/**
 * The EIP-712 domain in which an account wraps messages, from the chain (ERC-5267). Accounts of v2.0.0 and later have it.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`.
 *
 * @example
 * ```ts
 * import { readEip712Domain } from 'latchkey/accounts'
 * import { account, publicClient } from './config.ts'
 *
 * const { name, version } = await readEip712Domain(publicClient, { address: account.address })
 * console.log(name, version)
 * ```
 */
export async function readEip712Domain(
  client: Client,
  parameters: readEip712Domain.Parameters = {},
): Promise<readEip712Domain.ReturnType> {
  const address = requireAccountAddress(client, parameters.address)
  const call = { abi, functionName: 'eip712Domain' } as const
  const action = 'Could not read the EIP-712 domain of the account.'
  const data = await callView({ client, address, data: encodeFunctionData(call), action })
  if (!data) {
    throw new BaseError('The account does not tell its EIP-712 domain.', {
      code: 'ACCOUNT_NOT_FOUND',
      metaMessages: [`Account: ${address}`, 'It is not deployed yet, or of a version before v2.0.0.'],
    })
  }
  const [fields, name, version, chainId, verifyingContract, salt, extensions] = decodeFunctionResult({ ...call, data })
  return { fields, name, version, chainId, verifyingContract, salt, extensions }
}
