import { type Address, type Chain, type Client, decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem'
import { requireUint } from '../core/arguments.ts'
import { type EntryPointVersion, entryPoints } from '../core/chains/entryPoints.ts'
import { getEntryPointAddress } from '../core/chains/getEntryPointAddress.ts'
import { BaseError } from '../core/errors/BaseError.ts'
import type { AccountContract } from './contract.ts'
import { convertRpcErrors } from './errors/RpcError.ts'

/** EntryPoint of an account. Defaults to the chain's EntryPoint for the contract's version. */
export type EntryPointParameter = { version?: EntryPointVersion | undefined; address?: Address | undefined }

/** Read functions that accounts need. They are the same in every EntryPoint version. */
export const entryPointReadsAbi = /* @__PURE__ */ parseAbi([
  'function getNonce(address sender, uint192 key) view returns (uint256 nonce)',
  'function getSenderAddress(bytes initCode)',
])

/**
 * Events of an included operation, equal in all versions. `PostOpRevertReason` exists since 0.7 and reports a paymaster
 * that failed after the calls.
 */
export const entryPointAbi = /* @__PURE__ */ parseAbi([
  'event UserOperationEvent(bytes32 indexed userOpHash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 actualGasCost, uint256 actualGasUsed)',
  'event UserOperationRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
  'event PostOpRevertReason(bytes32 indexed userOpHash, address indexed sender, uint256 nonce, bytes revertReason)',
])

/**
 * Returns the address of an account's EntryPoint.
 *
 * @throws `ENTRY_POINT_NOT_FOUND`, `ADDRESS_INVALID`.
 */
export function resolveEntryPoint(
  chain: Chain,
  contract: AccountContract,
  requested: EntryPointParameter | undefined,
): Address {
  const { entryPointVersion } = contract
  if (requested?.version === undefined || requested.version === entryPointVersion) {
    return getEntryPointAddress({ chain, version: entryPointVersion, address: requested?.address })
  }
  if (!Object.hasOwn(entryPoints, requested.version)) {
    throw new BaseError(`Invalid entry point: unexpected version ${requested.version} for ${chain.name}.`, {
      code: 'ENTRY_POINT_NOT_FOUND',
      metaMessages: [`Known versions: ${Object.keys(entryPoints).join(', ')}`],
      name: 'InvalidEntryPointError',
    })
  }
  throw new BaseError(`${contract.source} ${contract.version} works with EntryPoint ${entryPointVersion} only.`, {
    code: 'ENTRY_POINT_NOT_FOUND',
  })
}

/**
 * Returns the next nonce of an account for a nonce key. The account need not be deployed. The key is in the upper 192
 * bits of the nonce (ERC-4337).
 *
 * @throws `ARGUMENT_INVALID`.
 */
export async function readNonce(parameters: {
  client: Client
  entryPoint: Address
  address: Address
  key: bigint
}): Promise<bigint> {
  const { client, entryPoint, address, key } = parameters
  const call = { abi: entryPointReadsAbi, functionName: 'getNonce' } as const
  const data = encodeFunctionData({ ...call, args: [address, requireUint('The nonce key', key, 192)] })
  const request = client.request({ method: 'eth_call', params: [{ to: entryPoint, data }, 'latest'] })
  const nonce = request.then((result) => decodeFunctionResult({ ...call, data: result }))
  return convertRpcErrors(nonce, `Could not read the nonce of the account at the entry point ${entryPoint}.`)
}
