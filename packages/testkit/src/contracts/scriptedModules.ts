import {
  type Abi,
  type Address,
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  parseEventLogs,
  toFunctionSelector,
} from 'viem'
import type { TestChain } from '../chain.ts'
import { deploy } from './modularAccounts.ts'
import { toConfig } from './modularAccountsV2.ts'

const scriptAbi = parseAbi([
  'event Asked(address indexed account, bytes data)',
  'function answer(bytes4 selector, bytes data, bool reverts)',
])

const op =
  '(address sender,uint256 nonce,bytes initCode,bytes callData,bytes32 accountGasLimits,uint256 preVerificationGas,bytes32 gasFees,bytes paymasterAndData,bytes signature)'

/** Functions of modules that accounts call (ERC-6900 v0.8). */
export const askedAbi: Abi = parseAbi([
  'function onInstall(bytes data)',
  'function onUninstall(bytes data)',
  `function validateUserOp(uint32 entityId, ${op} userOp, bytes32 userOpHash) returns (uint256)`,
  'function validateRuntime(address account, uint32 entityId, address sender, uint256 value, bytes data, bytes authorization)',
  'function validateSignature(address account, uint32 entityId, address sender, bytes32 digest, bytes signature) view returns (bytes4)',
  `function preUserOpValidationHook(uint32 entityId, ${op} userOp, bytes32 userOpHash) returns (uint256)`,
  'function preRuntimeValidationHook(uint32 entityId, address sender, uint256 value, bytes data, bytes authorization)',
  'function preSignatureValidationHook(uint32 entityId, address sender, bytes32 digest, bytes signature) view',
  'function preExecutionHook(uint32 entityId, address sender, uint256 value, bytes data) returns (bytes)',
  'function postExecutionHook(uint32 entityId, bytes preExecHookData)',
])
export const ask = Object.fromEntries(
  askedAbi.flatMap((item) => (item.type === 'function' ? [[item.name, toFunctionSelector(item)]] : [])),
) as Record<string, Hex>

export type ScriptedModule = Awaited<ReturnType<typeof deployModule>>

/** Deploys a module whose return values a test sets. By default, validations and hooks pass. */
export async function deployModule(chain: TestChain) {
  const address = getAddress(await deploy(chain, 'ScriptedModule'))
  const { transact } = chain.client(2)
  const module = {
    address,
    async respond(name: string, data: Hex, reverts = false) {
      const args = [ask[name] ?? '0x', data, reverts] as const
      await transact({ to: address, data: encodeFunctionData({ abi: scriptAbi, functionName: 'answer', args }) })
    },
    hook: (entityId: number, flags: number, installData: Hex = '0x') =>
      concat([toConfig(address, entityId, flags), installData]),
  }
  const zero = encodeAbiParameters([{ type: 'uint256' }], [0n])
  await module.respond('validateUserOp', zero)
  await module.respond('preUserOpValidationHook', zero)
  await module.respond('preExecutionHook', encodeAbiParameters([{ type: 'bytes' }], ['0xc0']))
  return module
}

/** Returns the calls that modules received, in order. */
export function askedIn(logs: Parameters<typeof parseEventLogs>[0]['logs']): { module: Address; data: Hex }[] {
  return parseEventLogs({ abi: scriptAbi, logs, eventName: 'Asked' }).map(({ address, args }) => ({
    module: getAddress(address),
    data: args.data,
  }))
}
