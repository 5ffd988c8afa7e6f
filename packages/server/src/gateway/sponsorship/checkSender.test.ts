import { getPluginAddress } from 'latchkey/accounts'
import { accountFactories, modularAccountV2Modules } from 'latchkey-protocol'
import {
  type Address,
  concat,
  decodeFunctionData,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  padHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { expect, test } from 'vitest'
import {
  getLightAccountContracts,
  getModularAccountContracts,
  getMultiOwnerLightAccountContracts,
} from '../../../../latchkey/src/core/chains/accountContracts.ts'
import { getModularAccountV2Contracts } from '../../../../latchkey/src/core/chains/modularAccountV2Contracts.ts'
import { policyRulesSchema } from '../../store/ledger/policyRules.ts'
import { checkRules } from './checkRules.ts'
import { accountImplementations, checkSender } from './checkSender.ts'

const sender = `0x${'5e'.repeat(20)}` as const
const token = `0x${'70'.repeat(20)}` as const
const stranger = `0x${'bb'.repeat(20)}` as const
const owners = getPluginAddress({ name: 'MultiOwnerPlugin' })
const sessionKeys = getPluginAddress({ name: 'SessionKeyPlugin' })
const rules = policyRulesSchema.parse({ targets: [{ address: token }] })
const refusal = (text: string) =>
  expect.objectContaining({
    code: 'POLICY_REFUSED',
    data: expect.objectContaining({ rule: 'targets' }),
    message: expect.stringContaining(text),
  })
const accountAbi = parseAbi([
  'struct Call { address target; uint256 value; bytes data; }',
  'function execute(address dest, uint256 value, bytes func)',
  'function executeBatch(address[] dest, bytes[] func)',
  'function executeWithSessionKey(Call[] calls, address sessionKey)',
  'function upgradeToAndCall(address implementation, bytes data)',
  'function installPlugin(address plugin, bytes32 manifestHash, bytes data, bytes21[] dependencies)',
  'function executeFromPluginExternal(address target, uint256 value, bytes data)',
  'function executeFromPlugin(bytes data)',
])
const loupeAbi = parseAbi([
  'function getInstalledPlugins() view returns (address[])',
  'function getExecutionFunctionConfig(bytes4 selector) view returns ((address plugin, bytes21 userOpValidationFunction, bytes21 runtimeValidationFunction))',
  'function getPreValidationHooks(bytes4 selector) view returns (bytes21[] preUserOpValidationHooks, bytes21[] preRuntimeValidationHooks)',
  'function getExecutionHooks(bytes4 selector) view returns ((bytes21 preExecHook, bytes21 postExecHook)[])',
])
const execute = encodeFunctionData({ abi: accountAbi, functionName: 'execute', args: [token, 0n, '0x'] })
const bySessionKey = encodeFunctionData({
  abi: accountAbi,
  functionName: 'executeWithSessionKey',
  args: [[{ target: token, value: 0n, data: '0x' }], sender],
})
const lightBatch = encodeFunctionData({ abi: accountAbi, functionName: 'executeBatch', args: [[token], ['0x']] })

test('knows the implementations that the client knows', () => {
  const light = (version: Parameters<typeof getLightAccountContracts>[0]['version']) =>
    getLightAccountContracts({ version })
  const contracts = {
    'LightAccountV1.0.1': light('v1.0.1'),
    'LightAccountV1.0.2': light('v1.0.2'),
    'LightAccountV1.1.0': light('v1.1.0'),
    'LightAccountV2.0.0': light('v2.0.0'),
    'LightAccountV2.0.0-MultiOwner': getMultiOwnerLightAccountContracts({ version: 'v2.0.0' }),
    'MAv1.0.0-MultiOwner': getModularAccountContracts(),
    'MAv2.0.0-sma-b': getModularAccountV2Contracts({ mode: 'default' }),
    'MAv2.0.0-ma-ssv': getModularAccountV2Contracts({ mode: 'single-signer' }),
  }
  expect(Object.fromEntries(Object.entries(contracts).map(([name, found]) => [name, found?.factory]))).toEqual(
    accountFactories,
  )
  expect(accountImplementations).toEqual(
    Object.fromEntries(Object.entries(contracts).map(([name, found]) => [name, found?.implementation.toLowerCase()])),
  )
})

test('refuses call data that changes the account or acts as a plugin, directly and as a call on itself', () => {
  const policy = { projectId: 'app', id: 'p', isDefault: true, paused: false, isDeclared: false, rules }
  const check = (callData: Hex) => () =>
    checkRules({ policy, chainId: 10, operation: { sender, callData, factory: undefined }, now: 0 })
  const abi = accountAbi
  const changes = [
    encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [stranger, '0x'] }),
    encodeFunctionData({ abi, functionName: 'installPlugin', args: [stranger, padHex('0x'), '0x', []] }),
    encodeFunctionData({ abi, functionName: 'executeFromPluginExternal', args: [token, 0n, '0x'] }),
    encodeFunctionData({ abi, functionName: 'executeFromPlugin', args: [execute] }),
  ]
  for (const data of changes) {
    expect(check(data)).toThrow(refusal('has no form that tells them'))
    const self = encodeFunctionData({ abi, functionName: 'execute', args: [sender, 0n, data] })
    expect(check(self)).toThrow(refusal(`calls to ${sender} are not listed`))
    const calls = [{ target: sender, value: 0n, data }]
    const session = encodeFunctionData({ abi, functionName: 'executeWithSessionKey', args: [calls, sender] })
    expect(check(session)).toThrow(refusal(`calls to ${sender} are not listed`))
  }
  expect(check(execute)).not.toThrow()
})

type Account = {
  installed: Address[]
  plugin: Address
  validation: Address
  userOpHook: Address
  before: Address
  after: Address
  /** Hooks of the calls that session keys make. */
  external: Address
}
const reference = (plugin: Address) => concat([plugin, '0x00'])

function nodeWith(account: Partial<Account>) {
  function respond(data: Hex): Hex {
    const abi = loupeAbi
    const { functionName, args } = decodeFunctionData({ abi, data })
    switch (functionName) {
      case 'getInstalledPlugins':
        return encodeFunctionResult({ abi, functionName, result: account.installed ?? [owners] })
      case 'getExecutionFunctionConfig': {
        const [plugin, validation] = [account.plugin ?? sender, reference(account.validation ?? owners)]
        const result = { plugin, userOpValidationFunction: validation, runtimeValidationFunction: validation }
        return encodeFunctionResult({ abi, functionName, result })
      }
      case 'getPreValidationHooks': {
        const hooks = account.userOpHook ? [reference(account.userOpHook)] : []
        return encodeFunctionResult({ abi, functionName, result: [hooks, []] })
      }
      default: {
        const { before, after = zeroAddress } = account
        const own =
          (before ?? account.after)
            ? [{ preExecHook: reference(before ?? zeroAddress), postExecHook: reference(after) }]
            : []
        const external = account.external
          ? [{ preExecHook: reference(account.external), postExecHook: reference(zeroAddress) }]
          : []
        return encodeFunctionResult({ abi, functionName, result: args?.[0] === '0x38997b11' ? external : own })
      }
    }
  }
  return {
    async callAll(calls: readonly { method: string; params: unknown }[]) {
      return calls.map(({ method, params }) => {
        if (method === 'eth_getCode') return proxyCode
        if (method === 'eth_getStorageAt') return padHex(accountImplementations['MAv1.0.0-MultiOwner'])
        return respond((params as [{ data: Hex }])[0].data)
      })
    },
  }
}
/** Runtime code of the modular account's proxies on public chains. */
const proxyCode =
  '0x60806040523615605f5773ffffffffffffffffffffffffffffffffffffffff7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc54166000808092368280378136915af43d82803e15605b573d90f35b3d90fd5b73ffffffffffffffffffffffffffffffffffffffff7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc54166000808092368280378136915af43d82803e15605b573d90f3fea26469706673582212208f3104255ee3c201238ea03e118ee6ec0a2cff51cbfbdc3af1727982a5a959a564736f6c63430008160033'

const check = (account: Partial<Account>, callData: Hex = execute) =>
  checkSender({ rules, operation: { sender, callData, factory: undefined }, node: nodeWith(account) })

test.each<[name: string, account: Partial<Account>, callData?: Hex]>([
  ['the plugin of its owners alone', {}],
  ['session keys', { installed: [sessionKeys, owners] }],
  [
    'a session key',
    { installed: [sessionKeys, owners], plugin: sessionKeys, validation: sessionKeys, userOpHook: sessionKeys },
    bySessionKey,
  ],
])('accepts a modular account with %s', async (_name, account, callData) => {
  await expect(check(account, callData)).resolves.toBeUndefined()
})

test.each<[name: string, account: Partial<Account>, callData?: Hex]>([
  ['an installed plugin', { installed: [stranger, owners] }],
  ['a validation function', { validation: stranger }],
  ['a hook before the validation', { userOpHook: stranger }],
  ['a hook before the execution', { before: stranger }],
  ['a hook after the execution', { after: stranger }],
  ['a hook that the account routes to any plugin', { before: sender }],
  ['a hook around the calls of session keys', { plugin: sessionKeys, external: stranger }, bySessionKey],
  [
    'a hook around the calls of session keys, in upper case',
    { plugin: sessionKeys, external: stranger },
    `0x${bySessionKey.slice(2).toUpperCase()}`,
  ],
  ['a plugin in place of the session keys', { plugin: stranger }, bySessionKey],
  ["a plugin that implements a light account's function", { plugin: stranger }, lightBatch],
])('refuses a modular account with %s of unknown code', async (_name, account, callData) => {
  await expect(check(account, callData)).rejects.toThrow(refusal('is not known and may make other calls'))
})

const v2Abi = parseAbi([
  'function getValidationData(bytes24 validationFunction) view returns ((uint8 validationFlags, bytes25[] validationHooks, bytes25[] executionHooks, bytes4[] selectors))',
  'function getExecutionData(bytes4 selector) view returns ((address module, bool skipRuntimeValidation, bool allowGlobalValidation, bytes25[] executionHooks))',
])
type AccountV2 = {
  implementation: Address
  validationHook: Address
  executionHook: Address
  /** Hook of `executeBatch`. */
  batchHook: Address
}
const hookOf = (module: Address | undefined) => (module ? [concat([module, '0x0000000000'])] : [])

function nodeWithV2(account: Partial<AccountV2>) {
  function respond(data: Hex): Hex {
    const abi = v2Abi
    const { functionName, args } = decodeFunctionData({ abi, data })
    if (functionName === 'getValidationData') {
      const [validationHooks, executionHooks] = [hookOf(account.validationHook), hookOf(account.executionHook)]
      const result = { validationFlags: 7, validationHooks, executionHooks, selectors: [] }
      return encodeFunctionResult({ abi, functionName, result })
    }
    const executionHooks = args[0] === '0x34fcd5be' ? hookOf(account.batchHook) : []
    const result = { module: sender, skipRuntimeValidation: false, allowGlobalValidation: true, executionHooks }
    return encodeFunctionResult({ abi, functionName, result })
  }
  return {
    async callAll(calls: readonly { method: string; params: unknown }[]) {
      return calls.map(({ method, params }) => {
        if (method === 'eth_getCode') return proxyCodeV2
        if (method === 'eth_getStorageAt')
          return padHex(account.implementation ?? accountImplementations['MAv2.0.0-sma-b'])
        return respond((params as [{ data: Hex }])[0].data)
      })
    },
  }
}
/** Runtime code of a Modular Account v2's proxy, with the owner's address at the end. */
const proxyCodeV2 = concat([
  '0x363d3d373d3d363d7f360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc545af43d6000803e6038573d6000fd5b3d6000f3',
  stranger,
])
/** Options: 1 global, 2 deferred action. */
const nonceOf = (entityId: bigint, options: bigint) => ((7n << 40n) | (entityId << 8n) | options) << 64n

const checkV2 = (account: Partial<AccountV2>, nonce = nonceOf(0n, 1n)) =>
  checkSender({
    rules,
    operation: { sender, nonce, callData: execute, factory: undefined },
    node: nodeWithV2(account),
  })

test.each<[name: string, account: Partial<AccountV2>]>([
  ['its owner alone', {}],
  ['a known hook', { executionHook: modularAccountV2Modules.nativeTokenLimit }],
  ['the implementation of upgraded accounts', { implementation: '0x0000000000006e2f9d80caec0da6500f005eb25a' }],
])('accepts a Modular Account v2 with %s', async (_name, account) => {
  await expect(checkV2(account)).resolves.toBeUndefined()
})

test.each<[name: string, account: Partial<AccountV2>]>([
  ['a hook before the validation', { validationHook: stranger }],
  ["a hook around the owner's calls", { executionHook: stranger }],
  ['a hook around executeBatch', { batchHook: stranger }],
])('refuses a Modular Account v2 with %s of an unknown module', async (_name, account) => {
  await expect(checkV2(account)).rejects.toThrow(refusal('is not known and may make other calls'))
})

test.each([
  ['a validation besides the owner', 3n, 1n],
  ['a deferred action', 0n, 3n],
  ['a direct call', 0n, 5n],
] as const)('refuses a Modular Account v2 whose nonce names %s', async (_name, entityId, options) => {
  const text = "names another validation than the owner's, or a deferred action"
  await expect(checkV2({}, nonceOf(entityId, options))).rejects.toThrow(refusal(text))
  const factory = accountFactories['MAv2.0.0-sma-b']
  const policy = { projectId: 'app', id: 'p', isDefault: true, paused: false, isDeclared: false, rules }
  const operation = { sender, nonce: nonceOf(entityId, options), callData: execute, factory }
  expect(() => checkRules({ policy, chainId: 10, operation, now: 0 })).toThrow(refusal(text))
})

test('refuses a Modular Account v2 whose owner is kept by a module', async () => {
  const account = { implementation: accountImplementations['MAv2.0.0-ma-ssv'] }
  await expect(checkV2(account)).rejects.toThrow(refusal('is kept by a module'))
})
