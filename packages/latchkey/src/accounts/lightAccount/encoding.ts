import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { Creation, WholeCall, WrapHash } from '../contract.ts'

/** Functions of a LightAccount that clients call. They are the same in every version. */
export const lightAccountAbi = /* @__PURE__ */ parseAbi([
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, uint256[] value, bytes[] func)',
  'function initialize(address anOwner)',
  'function owner() view returns (address)',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
])

const factoryAbi = /* @__PURE__ */ parseAbi(['function createAccount(address owner, uint256 salt)'])

export function encodeLightCreate({ owners: [owner], salt }: Creation): Hex {
  return encodeFunctionData({ abi: factoryAbi, functionName: 'createAccount', args: [owner, salt] })
}

/**
 * Encodes the call data of a LightAccount: `execute` for one call, `executeBatch` with three arrays for several calls.
 */
export function encodeLightCalls(calls: readonly [WholeCall, ...WholeCall[]]): Hex {
  const abi = lightAccountAbi
  const [{ to, value, data }, ...more] = calls
  if (more.length === 0) return encodeFunctionData({ abi, functionName: 'execute', args: [to, value, data] })
  const args = [calls.map((call) => call.to), calls.map((call) => call.value), calls.map((call) => call.data)] as const
  return encodeFunctionData({ abi, functionName: 'executeBatch', args })
}

/** Returns the typed data that an owner signs for ERC-1271: the hash in the account's EIP-712 domain. */
export function wrapLightHash(name: string, version: '1' | '2'): WrapHash {
  return ({ hash, address, chainId }) => ({
    domain: { name, version, chainId, verifyingContract: address },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: hash },
  })
}
