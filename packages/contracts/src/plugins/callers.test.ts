import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { changingFunctions, expectAccepted, expectRefused } from '@latchkey/testkit/contracts/callAs'
import {
  modularAccountAbi,
  modularAccountFactoryAbi,
  multiOwnerPluginAbi,
  sessionKeyPluginAbi,
} from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  entryPoint,
  factory,
  type Manifest,
  modularAccount,
  multiOwnerPlugin,
  sessionKeyPlugin,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { allowAll, createSessionAccount, type SessionAccount, update } from '@latchkey/testkit/contracts/sessionKeys'
import { test } from '@latchkey/testkit/contracts/test'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import {
  type Abi,
  type Address,
  encodeFunctionData,
  type Hex,
  hexToBytes,
  toFunctionSelector,
  toFunctionSignature,
  toHex,
  zeroHash,
} from 'viem'
import { expect } from 'vitest'

const first = toHex(1, { size: 32 })
const fresh = '0x000000000000000000000000000000000000f001'
const target = '0x000000000000000000000000000000000000a001'

let chain: TestChain
let it: SessionAccount
let callers: Record<string, Address>
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createSessionAccount(chain, [allowAll])
  callers = {
    stranger: it.stranger.address,
    owner: it.owner.address,
    sessionKey: it.key.address,
    entryPoint,
    self: it.address,
    multiOwnerPlugin: multiOwnerPlugin.address,
    sessionKeyPlugin: sessionKeyPlugin.address,
    factory: factory.address,
    implementation: modularAccount.implementation,
  }
  // The test sends transactions from the addresses of these contracts.
  for (const address of Object.values(callers)) {
    await chain.request('anvil_impersonateAccount', [address])
    await chain.request('anvil_setBalance', [address, toHex(10n ** 20n)])
  }
})

/** Arguments that would do harm if an owner sent them. */
const harmful = (): Record<string, readonly unknown[]> => ({
  'updateOwners(address[],address[])': [[it.stranger.address], [it.owner.address]],
  'onInstall(bytes)': ['0x'],
  'onUninstall(bytes)': ['0x'],
  'executeWithSessionKey((address,uint256,bytes)[],address)': [[{ target, value: 0n, data: '0x' }], it.key.address],
  'addSessionKey(address,bytes32,bytes[])': [fresh, zeroHash, [allowAll]],
  'removeSessionKey(address,bytes32)': [it.key.address, first],
  'rotateSessionKey(address,bytes32,address)': [it.key.address, first, fresh],
  'updateKeyPermissions(address,bytes[])': [it.key.address, [update('setAccessListType', 0)]],
  'resetSessionKeyGasLimitTimestamp(address,address)': [it.address, it.key.address],
})

/** Accounts forward these functions to plugins. */
const names = [
  'addSessionKey',
  'eip712Domain',
  'executeWithSessionKey',
  'isValidSignature',
  'removeSessionKey',
  'rotateSessionKey',
  'updateKeyPermissions',
  'updateOwners',
]
const brought = [...multiOwnerPluginAbi, ...sessionKeyPluginAbi].flatMap((item) =>
  item.type === 'function' && names.includes(item.name) ? [{ signature: toFunctionSignature(item), item }] : [],
)

test('covers every function that a plugin adds', async () => {
  const manifests = await Promise.all(
    [multiOwnerPlugin, sessionKeyPlugin].map((plugin) =>
      it.read.readContract({ ...plugin, functionName: 'pluginManifest' }),
    ),
  )
  const selectors = manifests.flatMap((manifest) => [...(manifest as Manifest).executionFunctions])
  expect(selectors.sort()).toEqual(brought.map(({ item }) => toFunctionSelector(item)).sort())
})

test.each(brought)('allows only the listed callers of $signature of an account', async ({ signature, item }) => {
  const isAnyones = item.stateMutability === 'view'
  const args = isAnyones ? item.inputs.map(({ type }) => (type === 'bytes' ? '0x' : zeroHash)) : harmful()[signature]
  if (!args) return expect.fail(`no arguments for ${signature}`)
  const rule = { callers: [], args }
  const isKeys = item.name === 'executeWithSessionKey'
  const allowed = isKeys ? ['entryPoint'] : ['owner', 'entryPoint', 'self']
  const notAuthorized = toFunctionSelector('NotAuthorized()')
  const refused = isKeys
    ? { name: 'AlwaysDenyRule', args: [] }
    : { name: 'RuntimeValidationFunctionReverted', args: [multiOwnerPlugin.address, 0, notAuthorized] }
  for (const [who, caller] of Object.entries(callers)) {
    const call = { read: it.read, address: it.address, abi: it.account.abi, item, caller }
    if (isAnyones || allowed.includes(who)) await expectAccepted(call, rule)
    else await expectRefused(call, rule, refused)
  }
})

test.each(changingFunctions(modularAccountAbi))('limits an installed plugin in $signature', async ({ item }) => {
  const call = { read: it.read, address: it.address, abi: it.account.abi, item, caller: sessionKeyPlugin.address }
  // The manifest permits external calls, and anyone may call token callbacks.
  if (item.name === 'executeFromPluginExternal') return expectAccepted(call, { callers: [], args: [target, 1n, '0x'] })
  if (/^(on|tokens)/.test(item.name)) return
  const refusals: Record<string, unknown> = {
    executeFromPlugin: expect.stringMatching(/^(ExecFromPluginNotPermitted|UnrecognizedFunction)$/),
    initialize: 'AlreadyInitialized',
    validateUserOp: 'UserOpNotFromEntryPoint',
  }
  const name = refusals[item.name] ?? 'RuntimeValidationFunctionReverted'
  await expectRefused(call, { callers: [] }, expect.objectContaining({ name }))
})

async function stateOf({ address, key, read }: SessionAccount): Promise<unknown> {
  const ofKey = [
    'getAccessControlType',
    'getKeyTimeRange',
    'getNativeTokenSpendLimitInfo',
    'getGasSpendLimit',
    'getRequiredPaymaster',
  ]
  return Promise.all([
    read.readContract({ ...multiOwnerPlugin, functionName: 'ownersOf', args: [address] }),
    read.readContract({ ...sessionKeyPlugin, functionName: 'sessionKeysOf', args: [address] }),
    ...ofKey.map((functionName) =>
      read.readContract({ ...sessionKeyPlugin, functionName, args: [address, key.address] }),
    ),
  ])
}

async function sendAs(from: Address, to: Address, data: Hex): Promise<void> {
  const hash = await chain.request<Hex>('eth_sendTransaction', [{ from, to, data, gas: '0x4c4b40' }])
  await waitForTransaction(it.read, hash)
}

test.each([
  ...changingFunctions(multiOwnerPluginAbi).map((each) => ({ ...each, plugin: multiOwnerPlugin })),
  ...changingFunctions(sessionKeyPluginAbi).map((each) => ({ ...each, plugin: sessionKeyPlugin })),
])('lets nobody change an account by $signature of the plugin', async ({ signature, item, plugin }) => {
  const before = await stateOf(it)
  const isAsked = /^(pre|post|runtime|userOp)/.test(item.name)
  const args = harmful()[signature]
  if (!isAsked && !args) return expect.fail(`no arguments for ${signature}`)
  for (const [who, from] of Object.entries(callers)) {
    if (who === 'self') continue
    const call = { read: it.read, address: plugin.address, abi: plugin.abi, item, caller: from }
    if (isAsked) await expectRefused(call, { callers: [] }, expect.objectContaining({ name: expect.any(String) }))
    if (!args) continue
    await sendAs(from, plugin.address, encodeFunctionData({ abi: [item], args }))
  }
  expect(await stateOf(it)).toEqual(before)
})

const notOwner = 'Ownable: caller is not the owner'
const refusalOf = (functionName: string) =>
  functionName === 'acceptOwnership' ? 'Ownable2Step: caller is not the new owner' : notOwner

test.each(changingFunctions(modularAccountFactoryAbi))(
  'allows only the listed callers of $signature of the factory',
  async ({ item }) => {
    const { abi } = readArtifact('MultiOwnerModularAccountFactory') as { abi: Abi }
    for (const caller of Object.values(callers)) {
      const call = { read: it.read, address: factory.address, abi, item, caller }
      const args = [0n, [it.owner.address]]
      if (item.name === 'createAccount') await expectAccepted(call, { callers: [], args })
      else await expectRefused(call, { callers: [] }, { name: refusalOf(item.name), args: [] })
      // This view of the published ABI always reverts.
      const give = { address: factory.address, abi, functionName: 'renounceOwnership', account: caller }
      expect((await readRevert(it.read.readContract(give))).name).toBe(notOwner)
    }
  },
)

test('contains no plugin code that delegates a call or destroys itself', () => {
  const forbidden: number[] = [callCode, delegateCall, selfDestruct]
  for (const name of ['MultiOwnerPlugin', 'SessionKeyPlugin']) {
    const found = opcodesOf(readArtifact(name).deployedBytecode).filter((code) => forbidden.includes(code))
    expect(found, name).toEqual([])
  }
  // The account contains a delegatecall for upgrades, which proves that the search finds the opcode.
  expect(opcodesOf(readArtifact('UpgradeableModularAccount').deployedBytecode)).toContain(delegateCall)
})

const [callCode, delegateCall, selfDestruct] = [0xf2, 0xf4, 0xff] as const

/** Reads the opcodes without the operands of PUSH. */
function opcodesOf(code: Hex): number[] {
  const bytes = hexToBytes(code)
  const opcodes: number[] = []
  for (let at = 0; at < bytes.length; at++) {
    const opcode = bytes[at] ?? 0
    opcodes.push(opcode)
    if (opcode >= 0x60 && opcode <= 0x7f) at += opcode - 0x5f
  }
  return opcodes
}
