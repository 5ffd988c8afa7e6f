import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  implementationSlot,
  lightAccountV1_1_0,
  lightAccountV2,
  multiOwnerLightAccountV2,
} from '@latchkey/testkit/contracts/lightAccounts'
import { createModularAccount } from '@latchkey/testkit/contracts/modularAccounts'
import {
  call,
  createOperation,
  createSemiModularAccount,
  encodeSigner,
  execute,
  handle,
  installSigner,
  isGlobal,
  isUserOp,
  isValid,
  type ModularV2TestAccount,
  modularAccountV2,
  runtimeCall,
  signDigest,
  singleSigner,
  toConfig,
  validate,
  view,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { demo } from '@latchkey/testkit/demoToken'
import { type Address, concat, type Hex, hashMessage, hashTypedData, zeroAddress } from 'viem'
import { expect } from 'vitest'

const nobody = '0x000000000000000000000000000000000000dEaD'

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const dataOf = ({ account, read }: ModularV2TestAccount) =>
  read.readContract({ ...account, functionName: 'getFallbackSignerData' })
const run = async (it: ModularV2TestAccount, data: Hex) => handle(chain, await createOperation(chain, it, data))
const upgradeTo = (implementation: Address, data: Hex = '0x') => call('upgradeToAndCall', implementation, data)
const initialize = (owner: Address) => call('initialize', owner)

test('reads its first owner from the code of its proxy', async () => {
  const it = await createSemiModularAccount(chain)
  expect(await dataOf(it)).toEqual([it.owner.address, false])
  const code = (await it.read.getCode({ address: it.address })) ?? '0x'
  expect(code.slice(-40)).toBe(it.owner.address.slice(2).toLowerCase())
})

test('obeys a new owner, and the old one no more', async () => {
  const it = await createSemiModularAccount(chain)
  const next = { ...it, owner: it.stranger }
  const { blockNumber } = await it.by.transact({
    to: it.address,
    data: runtimeCall(call('updateFallbackSignerData', next.owner.address, false)),
  })
  const events = await it.read.getContractEvents({
    ...it.account,
    eventName: 'FallbackSignerUpdated',
    fromBlock: blockNumber,
  })
  expect(events.map(({ args }) => args)).toEqual([{ newFallbackSigner: next.owner.address, isDisabled: false }])
  expect(await dataOf(it)).toEqual([next.owner.address, false])
  expect(await validate(chain, it, await createOperation(chain, it, execute(nobody)))).toBe(1n)
  expect(await run(next, execute(nobody))).toMatchObject([{ success: true }])
})

test('obeys no fallback signer that is disabled', async () => {
  const it = await createSemiModularAccount(chain)
  await run(it, installSigner(it.stranger.address, 5, { flags: isUserOp | isGlobal, selectors: [] }))
  await run(it, call('updateFallbackSignerData', zeroAddress, true))
  expect(await dataOf(it)).toEqual([it.owner.address, true])
  const disabled = { name: 'FallbackSignerDisabled', args: [] }
  expect(await readRevert(validate(chain, it, await createOperation(chain, it, execute(nobody))))).toEqual(disabled)
  const hash = hashMessage('hello')
  expect(await readRevert(isValid(it, hash, await signDigest(chain, it, it.owner, hash)))).toEqual(disabled)
  const authorization = concat(['0x0100000000', '0xff'])
  const args = [execute(nobody), authorization]
  const request = { ...it.account, functionName: 'executeWithRuntimeValidation', args, account: it.owner.address }
  expect(await readRevert(it.read.simulateContract(request))).toEqual(disabled)
  // The installed key restores the owner.
  const other = { ...it, owner: it.stranger, entityId: 5 }
  expect(await run(other, call('updateFallbackSignerData', zeroAddress, false))).toMatchObject([{ success: true }])
  expect(await dataOf(it)).toEqual([it.owner.address, false])
})

test('keeps the entity id of its owner to itself', async () => {
  const it = await createSemiModularAccount(chain)
  const refused = { name: 'FallbackValidationInstallationNotAllowed', args: [] }
  const install = (config: Hex, selectors: Hex[], data: Hex) =>
    readRevert(
      it.read.simulateContract({
        ...it.account,
        functionName: 'installValidation',
        args: [config, selectors, data, []],
        account: it.address,
      }),
    )
  expect(await install(toConfig(singleSigner.address, 0, 7), [], '0x')).toEqual(refused)
  expect(await install(toConfig(zeroAddress, 0, 7), ['0xb61d27f6'], '0x')).toEqual(refused)
  expect(await install(toConfig(zeroAddress, 0, 7), [], '0x00')).toEqual(refused)
})

test('obeys an owner that is a contract', async () => {
  const wallet = await createLightAccount(chain, lightAccountV1_1_0)
  const it = await createSemiModularAccount(chain, wallet.address)
  const digest = hashMessage('hello')
  const domain = { chainId: chain.chainId, verifyingContract: it.address }
  // Both the modular account and its owner wrap the hash.
  const wrapped = hashTypedData({
    domain,
    types: { ReplaySafeHash: [{ name: 'hash', type: 'bytes32' }] },
    primaryType: 'ReplaySafeHash',
    message: { hash: digest },
  })
  const signature = await wallet.owner.signTypedData({
    domain: { name: 'LightAccount', version: '1', chainId: chain.chainId, verifyingContract: wallet.address },
    types: { LightAccountMessage: [{ name: 'message', type: 'bytes' }] },
    primaryType: 'LightAccountMessage',
    message: { message: wrapped },
  })
  expect(await isValid(it, digest, concat(['0x0000000000ff01', signature]))).toBe('0x1626ba7e')
  expect(await isValid(it, digest, concat(['0x0000000000ff00', signature]))).toBe('0xffffffff')
})

const old = [
  { name: 'LightAccount v1.1.0', create: () => createLightAccount(chain, lightAccountV1_1_0) },
  { name: 'LightAccount v2.0.0', create: () => createLightAccount(chain, lightAccountV2) },
  { name: 'MultiOwnerLightAccount v2.0.0', create: () => createLightAccount(chain, multiOwnerLightAccountV2) },
  { name: 'the modular account v1', create: () => createModularAccount(chain) },
]

test.each(old)('takes over $name with its address and owner', async ({ create }) => {
  const from = await create()
  const target = modularAccountV2.semiModularStorageOnly
  await from.by.transact({ to: from.address, data: upgradeTo(target, initialize(from.owner.address)) })
  const it = await view(chain, from.address, from.owner)
  expect(await dataOf(it)).toEqual([from.owner.address, false])
  const read = { ...it.account, functionName: 'accountId' }
  expect(await it.read.readContract(read)).toBe('alchemy.sma-storage.1.0.0')
  expect(await run(it, execute(it.stranger.address, 1n))).toMatchObject([{ success: true }])
  const hash = hashMessage('hello')
  expect(await isValid(it, hash, await signDigest(chain, it, it.owner, hash))).toBe('0x1626ba7e')
  for (const account of [it.owner.address, it.stranger.address, it.address])
    await expect(it.read.call({ account, to: it.address, data: initialize(it.stranger.address) })).rejects.toThrow(
      '0xf92ee8a9',
    )
})

test('becomes another kind of modular account and keeps its keys', async () => {
  const it = await createSemiModularAccount(chain)
  await run(it, installSigner(it.stranger.address, 3, { flags: isUserOp | isGlobal, selectors: [] }))
  const next = await chain.freshAccount()
  await run(it, upgradeTo(modularAccountV2.semiModularStorageOnly, initialize(next.address)))
  expect(await dataOf(it)).toEqual([next.address, false])
  expect(await run({ ...it, owner: it.stranger, entityId: 3 }, execute(nobody))).toMatchObject([{ success: true }])

  const config = toConfig(singleSigner.address, 8, isUserOp | isGlobal)
  const setUp = call('initializeWithValidation', config, [], encodeSigner(8, next.address), [])
  await run({ ...it, owner: next }, upgradeTo(modularAccountV2.implementation, setUp))
  expect(await run({ ...it, owner: next, entityId: 8 }, execute(nobody))).toMatchObject([{ success: true }])
  const asOwner = await createOperation(chain, { ...it, owner: next, entityId: 0 }, execute(nobody))
  expect((await readRevert(validate(chain, it, asOwner))).name).toBe('ValidationFunctionMissing')
})

test('refuses upgrades to code without upgrades', async () => {
  const it = await createSemiModularAccount(chain)
  for (const target of [it.stranger.address, demo, it.address, zeroAddress]) {
    const request = { ...it.account, functionName: 'upgradeToAndCall', args: [target, '0x'], account: it.address }
    expect((await readRevert(it.read.simulateContract(request))).name, target).toBe('UpgradeFailed')
  }
  const uuid = { ...it.account, functionName: 'proxiableUUID' }
  expect((await readRevert(it.read.readContract(uuid))).name).toBe('UnauthorizedCallContext')
  const address = modularAccountV2.semiModularStorageOnly
  expect(await it.read.readContract({ ...uuid, address })).toBe(implementationSlot)
})
