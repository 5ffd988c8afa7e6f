import { accountFactories, type FactoryType, modularAccountV2Modules } from 'latchkey-protocol'
import {
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  isAddressEqual,
  keccak256,
  padHex,
  parseAbi,
  size,
  slice,
  zeroAddress,
} from 'viem'
import type { PolicyRules } from '../../store/ledger/policyRules.ts'
import type { Upstream } from '../rpc/createUpstream.ts'
import type { RpcError } from '../rpc/RpcError.ts'
import { bytes, parseResult, quantity } from '../rpc/values.ts'
import { policyRefused } from './refusalErrors.ts'

/** Members of an operation that a policy's rules check. Without a nonce, rules about nonces are not checked. */
export type CheckedOperation = {
  sender: Address
  nonce?: bigint | undefined
  callData: Hex
  factory: Address | undefined
}

/** Account proxies by the hash of their runtime code, which is the same on public chains and the devnet. */
const proxyFactories: Readonly<Record<Hex, readonly FactoryType[]>> = {
  // OpenZeppelin's ERC1967Proxy, compiled by solc 0.8.21.
  '0xb26a7586edc0cc4bfd2e1ed67ec8f0eeb5673658683376175868e1e0d635a21d': [
    'LightAccountV1.0.1',
    'LightAccountV1.0.2',
    'LightAccountV1.1.0',
  ],
  // Solady's minimal ERC-1967 proxy.
  '0xaaa52c8cc8a0e3fd27ce756cc6b4e70c51423e9b597b11f32d3e49f8b1fc890d': [
    'LightAccountV2.0.0',
    'LightAccountV2.0.0-MultiOwner',
    'MAv2.0.0-ma-ssv',
  ],
  // OpenZeppelin's ERC1967Proxy, compiled by solc 0.8.22.
  '0x49aea3a95a51b32d1e6fd229840c38521e3b4680b0a6c013494091be0e530b6c': ['MAv1.0.0-MultiOwner'],
}
/** Size of the largest of these proxies, in bytes. */
const largestProxy = 231
/** Code of Solady's proxy; in Modular Account v2, the owner's address follows it. */
const proxyWithOwner = { codeSize: 61, size: 81, factories: ['MAv2.0.0-sma-b'] as readonly FactoryType[] }

/** Implementations in lower case. Each may be behind any of the proxies, since an upgrade does not change the proxy. */
export const accountImplementations: Readonly<Record<FactoryType, Address>> = {
  'LightAccountV1.0.1': '0xc1b2fc4197c9187853243e6e4eb5a4af8879a1c0',
  'LightAccountV1.0.2': '0x5467b1947f47d0646704eb801e075e72aeae8113',
  'LightAccountV1.1.0': '0xae8c656ad28f2b59a196ab61815c16a0ae1c3cba',
  'LightAccountV2.0.0': '0x8e8e658e22b12ada97b402ff0b044d6a325013c7',
  'LightAccountV2.0.0-MultiOwner': '0xd2c27f9ee8e4355f71915ffd5568cb3433b6823d',
  'MAv1.0.0-MultiOwner': '0x0046000000000151008789797b54fdb500e2a61e',
  'MAv2.0.0-sma-b': '0x000000000000c5a9089039570dd36455b5c07383',
  'MAv2.0.0-ma-ssv': '0x00000000000002377b26b1eda7b0bc371c60dd4f',
}
/** SemiModularAccountStorageOnly, to which accounts of other types are upgraded. */
const upgradedImplementation: Address = '0x0000000000006e2f9d80caec0da6500f005eb25a'
/** Implementations of Modular Account v2 that manage the owner themselves, without a module. */
const ownedImplementations: readonly Address[] = [accountImplementations['MAv2.0.0-sma-b'], upgradedImplementation]

/** Plugins of modular accounts, in lower case: MultiOwnerPlugin and SessionKeyPlugin. */
const accountPlugins: readonly Address[] = [
  '0xce0000007b008f50d762d155002600004cd6c647',
  '0x0000003e0000a96de4058e1e02a62faaecf23d8d',
]

const implementationSlot = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

export declare namespace checkSender {
  type Parameters = {
    rules: Pick<PolicyRules, 'targets' | 'factories'>
    operation: CheckedOperation
    node: Pick<Upstream, 'callAll'>
  }
}

/**
 * Checks the code of a deployed sender under a policy with `targets` or `factories`: unknown account code may ignore
 * the call data. It cannot detect an owner who changes the code after the signature.
 *
 * @throws `POLICY_REFUSED`, naming the rule, and the errors of `Upstream.callAll`.
 */
export async function checkSender({ rules, operation, node }: checkSender.Parameters): Promise<void> {
  const { targets, factories } = rules
  const { sender, factory, callData } = operation
  if ((!targets && !factories) || factory) return
  const rule = targets ? 'targets' : 'factories'
  const [code, slot] = await node.callAll([
    { method: 'eth_getCode', params: [sender, 'latest'] },
    { method: 'eth_getStorageAt', params: [sender, implementationSlot, 'latest'] },
  ])
  const found = parseResult(bytes, code, 'code') as Hex
  if (found === '0x') throw policyRefused(rule, `${sender} is not deployed, and the operation names no factory.`)
  const madeBy = findFactories(found)
  if (!madeBy) throw unknownAccount(rule, `the code of ${sender} is that of none`)
  const value = padHex(parseResult(quantity, slot, 'a storage value') as Hex)
  const implementation = slice(value, 12).toLowerCase() as Address
  if (![...Object.values(accountImplementations), upgradedImplementation].includes(implementation))
    throw unknownAccount(rule, `${sender} has the implementation ${implementation}`)
  if (factories && !madeBy.some((type) => includes(factories, accountFactories[type])))
    throw policyRefused('factories', `no listed factory deploys accounts with the code of ${sender}.`)
  if (!targets) return
  if (implementation === accountImplementations['MAv1.0.0-MultiOwner']) await checkPlugins({ sender, callData, node })
  if (implementation === accountImplementations['MAv2.0.0-ma-ssv'])
    throw unknownAccount(rule, `the owner of ${sender} is kept by a module`)
  if (ownedImplementations.includes(implementation)) {
    requireOwnerNonce(operation)
    await checkModules({ sender, node })
  }
}

function findFactories(code: Hex): readonly FactoryType[] | undefined {
  if (size(code) === proxyWithOwner.size) {
    const isKnown = proxyFactories[keccak256(slice(code, 0, proxyWithOwner.codeSize))] !== undefined
    return isKnown ? proxyWithOwner.factories : undefined
  }
  return size(code) <= largestProxy ? proxyFactories[keccak256(code)] : undefined
}

/**
 * Checks the factory of an operation that deploys its sender, under a policy with `targets`.
 *
 * @throws `POLICY_REFUSED`.
 */
export function checkFactory(factory: Address, operation: CheckedOperation): void {
  if (!Object.values(accountFactories).some((known) => isAddressEqual(known, factory)))
    throw unknownAccount('targets', `the factory ${factory} deploys none of them`)
  if (isAddressEqual(factory, accountFactories['MAv2.0.0-sma-b'])) requireOwnerNonce(operation)
}

/**
 * Refuses operations of a Modular Account v2 that its owner does not sign, and operations with a deferred action. A
 * deferred call is part of the signature, and changes the account before the checked call data runs. The nonce's key
 * ends in the validation's id (32 bits) and options (8).
 */
function requireOwnerNonce({ sender, nonce }: CheckedOperation): void {
  const ownerKey = 1n
  if (nonce === undefined || ((nonce >> 64n) & 0xff_ffff_ffffn) === ownerKey) return
  throw policyRefused(
    'targets',
    `the nonce of ${sender} names another validation than the owner's, or a deferred action, which may make other calls. Use the owner's key, or a policy without targets.`,
  )
}

const modulesAbi = parseAbi([
  'function getValidationData(bytes24 validationFunction) view returns ((uint8 validationFlags, bytes25[] validationHooks, bytes25[] executionHooks, bytes4[] selectors))',
  'function getExecutionData(bytes4 selector) view returns ((address module, bool skipRuntimeValidation, bool allowGlobalValidation, bytes25[] executionHooks))',
])
/** Selectors of `execute` and `executeBatch`. */
const executions: readonly Hex[] = ['0xb61d27f6', '0x34fcd5be']
const accountModules = Object.values(modularAccountV2Modules).map((module) => module.toLowerCase() as Address)

/** Checks that an operation of a Modular Account v2's owner involves no unknown module (ERC-6900 v0.8). */
async function checkModules({
  sender,
  node,
}: Pick<CheckedOperation, 'sender'> & Pick<checkSender.Parameters, 'node'>): Promise<void> {
  const abi = modulesAbi
  const ask = (data: Hex) => ({ method: 'eth_call', params: [{ to: sender, data, gas: loupeGas }, 'latest'] })
  const owner = encodeFunctionData({ abi, functionName: 'getValidationData', args: [padHex('0x', { size: 24 })] })
  const [validation, ...functions] = await node.callAll([
    ask(owner),
    ...executions.map((each) => ask(encodeFunctionData({ abi, functionName: 'getExecutionData', args: [each] }))),
  ])
  const read = (result: unknown) => parseResult(bytes, result, 'modules') as Hex
  const { validationHooks, executionHooks } = decodeFunctionResult({
    abi,
    functionName: 'getValidationData',
    data: read(validation),
  })
  const around = functions.flatMap(
    (result) => decodeFunctionResult({ abi, functionName: 'getExecutionData', data: read(result) }).executionHooks,
  )
  const unknown = [...validationHooks, ...executionHooks, ...around]
    .map((hook) => slice(hook, 0, 20).toLowerCase() as Address)
    .find((module) => !accountModules.includes(module))
  if (!unknown) return
  throw policyRefused(
    'targets',
    `the module ${unknown} of the account ${sender} is not known and may make other calls. Uninstall it, or use a policy without targets.`,
    { module: unknown },
  )
}

function unknownAccount(rule: 'targets' | 'factories', why: string): RpcError {
  return policyRefused(
    rule,
    `its ${rule} can only be checked for LightAccount, MultiOwnerLightAccount, MultiOwnerModularAccount and ModularAccountV2, and ${why}. Use one of these accounts, or a policy without ${rule}.`,
  )
}

const loupeAbi = parseAbi([
  'function getInstalledPlugins() view returns (address[])',
  'function getExecutionFunctionConfig(bytes4 selector) view returns ((address plugin, bytes21 userOpValidationFunction, bytes21 runtimeValidationFunction))',
  'function getPreValidationHooks(bytes4 selector) view returns (bytes21[] preUserOpValidationHooks, bytes21[] preRuntimeValidationHooks)',
  'function getExecutionHooks(bytes4 selector) view returns ((bytes21 preExecHook, bytes21 postExecHook)[])',
])
const executeWithSessionKey = '0x31d99c2c'
/** Function through which the session key plugin makes its calls. */
const executeFromPluginExternal = '0x38997b11'
/** Gas limit of the calls that read an account's lists, so that an account cannot return endless lists. */
const loupeGas = '0xf4240'

/**
 * Checks that an operation of a modular account (ERC-6900) involves only known plugins. The list of installed plugins
 * is not enough: an earlier implementation behind the proxy may have stored hooks that no list contains.
 */
async function checkPlugins({
  sender,
  callData,
  node,
}: Pick<CheckedOperation, 'sender' | 'callData'> & Pick<checkSender.Parameters, 'node'>): Promise<void> {
  const selector = slice(`${callData}00000000`, 0, 4).toLowerCase() as Hex
  const hooked: Hex[] = selector === executeWithSessionKey ? [selector, executeFromPluginExternal] : [selector]
  const abi = loupeAbi
  const ask = (data: Hex) => ({ method: 'eth_call', params: [{ to: sender, data, gas: loupeGas }, 'latest'] })
  const results = await node.callAll([
    ask(encodeFunctionData({ abi, functionName: 'getInstalledPlugins' })),
    ask(encodeFunctionData({ abi, functionName: 'getExecutionFunctionConfig', args: [selector] })),
    ask(encodeFunctionData({ abi, functionName: 'getPreValidationHooks', args: [selector] })),
    ...hooked.map((each) => ask(encodeFunctionData({ abi, functionName: 'getExecutionHooks', args: [each] }))),
  ])
  const unknown = listPlugins(
    sender,
    results.map((result) => parseResult(bytes, result, 'plugins') as Hex),
  ).find((plugin) => plugin !== zeroAddress && !includes(accountPlugins, plugin))
  if (!unknown) return
  throw policyRefused(
    'targets',
    `the plugin ${unknown} of the account ${sender} is not known and may make other calls. Uninstall it, or use a policy without targets.`,
    { plugin: unknown },
  )
}

/**
 * Returns the addresses in the account's own description of an operation: plugins, validation function and hooks. The
 * account itself may be the plugin for its own functions. It may not be a hook, since it would forward the call to any
 * other plugin.
 */
function listPlugins(
  sender: Address,
  [installed = '0x', config = '0x', validation = '0x', ...execution]: readonly Hex[],
): Address[] {
  const abi = loupeAbi
  const { plugin, userOpValidationFunction } = decodeFunctionResult({
    abi,
    functionName: 'getExecutionFunctionConfig',
    data: config,
  })
  const [userOpHooks] = decodeFunctionResult({ abi, functionName: 'getPreValidationHooks', data: validation })
  const hooks = execution.flatMap((data) => decodeFunctionResult({ abi, functionName: 'getExecutionHooks', data }))
  const references = [
    userOpValidationFunction,
    ...userOpHooks,
    ...hooks.flatMap(({ preExecHook, postExecHook }) => [preExecHook, postExecHook]),
  ]
  return [
    ...decodeFunctionResult({ abi, functionName: 'getInstalledPlugins', data: installed }),
    ...(isAddressEqual(plugin, sender) ? [] : [plugin]),
    ...references.map((reference) => slice(reference, 0, 20)),
  ]
}

const includes = (list: readonly Address[], address: Address) => list.includes(address.toLowerCase() as Address)
