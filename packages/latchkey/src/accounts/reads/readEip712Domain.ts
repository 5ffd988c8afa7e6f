import { type Address, type Client, decodeFunctionResult, encodeFunctionData, type Hex, parseAbi } from 'viem'
import { BaseError } from '../../core/errors/BaseError.ts'
import { type AccountParameter, callView, requireAccountAddress } from './callView.ts'

const abi = /* @__PURE__ */ parseAbi([
  'function eip712Domain() view returns (bytes1 fields, string name, string version, uint256 chainId, address verifyingContract, bytes32 salt, uint256[] extensions)',
])

export declare namespace readEip712Domain {
  type Parameters = AccountParameter
  type ReturnType = {
    /** Bits that mark the members in use (ERC-5267). */
    fields: Hex
    name: string
    version: string
    chainId: bigint
    verifyingContract: Address
    salt: Hex
    extensions: readonly bigint[]
  }
}

/**
 * Reads the EIP-712 domain in which an account wraps messages (ERC-5267). Accounts since v2.0.0 have such a domain.
 *
 * @throws `ACCOUNT_NOT_FOUND`, `ADDRESS_INVALID`, `METHOD_NOT_SUPPORTED` for an account without such a domain.
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
  if (!data) throw await toMissingDomain(client, address)
  const [fields, name, version, chainId, verifyingContract, salt, extensions] = decodeFunctionResult({ ...call, data })
  return { fields, name, version, chainId, verifyingContract, salt, extensions }
}

async function toMissingDomain(client: Client, address: Address): Promise<BaseError> {
  const code = await client.request({ method: 'eth_getCode', params: [address, 'latest'] })
  if (code === '0x')
    return new BaseError('The account does not tell its EIP-712 domain: it is not deployed yet.', {
      code: 'ACCOUNT_NOT_FOUND',
      metaMessages: [`Account: ${address}`, 'Send its first operation, then read the domain again.'],
    })
  return new BaseError('The account has no EIP-712 domain to read (ERC-5267).', {
    code: 'METHOD_NOT_SUPPORTED',
    metaMessages: [`Account: ${address}`, 'LightAccount has one from v2.0.0 on; v1.0.1, v1.0.2 and v1.1.0 have none.'],
  })
}
