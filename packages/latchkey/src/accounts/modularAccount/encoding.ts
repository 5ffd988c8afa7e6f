import { type Address, encodeAbiParameters, encodeFunctionData, type Hex, parseAbi } from 'viem'
import type { WholeCall } from '../contract.ts'

/** Functions of a modular account that clients call (ERC-6900 v0.7). */
export const modularAccountAbi = /* @__PURE__ */ parseAbi([
  'function execute(address target, uint256 value, bytes data) payable returns (bytes result)',
  'function executeBatch((address target, uint256 value, bytes data)[] calls) payable returns (bytes[] results)',
  'function initialize(address[] plugins, bytes pluginInitData)',
  'function installPlugin(address plugin, bytes32 manifestHash, bytes pluginInstallData, bytes21[] dependencies)',
  'function uninstallPlugin(address plugin, bytes config, bytes pluginUninstallData)',
  'function upgradeToAndCall(address newImplementation, bytes data) payable',
])

/** Functions of the factory that clients call. */
export const modularAccountFactoryAbi = /* @__PURE__ */ parseAbi([
  'function IMPL() view returns (address)',
  'function createAccount(uint256 salt, address[] owners) returns (address addr)',
])

/**
 * Encodes the call data of a modular account: `execute` for one call, `executeBatch` with structs for several calls.
 */
export function encodeModularCalls(calls: readonly [WholeCall, ...WholeCall[]]): Hex {
  const abi = modularAccountAbi
  const [{ to, value, data }, ...more] = calls
  if (more.length === 0) return encodeFunctionData({ abi, functionName: 'execute', args: [to, value, data] })
  const args = [calls.map((call) => ({ target: call.to, value: call.value, data: call.data }))] as const
  return encodeFunctionData({ abi, functionName: 'executeBatch', args })
}

/**
 * Encodes the owners for the installation of the MultiOwnerPlugin. The address of a modular account depends on this
 * encoding.
 */
export function encodeOwners(owners: readonly Address[]): Hex {
  return encodeAbiParameters([{ type: 'address[]' }], [owners])
}
