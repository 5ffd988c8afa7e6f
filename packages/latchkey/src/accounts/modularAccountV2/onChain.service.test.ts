import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { mint } from '@latchkey/testkit/demoToken'
import { test } from '@latchkey/testkit/worker'
import { modularAccountV2Modules } from 'latchkey-protocol'
import {
  concat,
  encodeAbiParameters,
  type Hex,
  hashMessage,
  hashTypedData,
  numberToHex,
  slice,
  zeroAddress,
} from 'viem'
import { expect } from 'vitest'
import { decodeRevert } from '../errors/decodeRevert.ts'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import { toModularAccount } from '../modularAccount/toModularAccount.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import { readIsValidSignature } from '../reads/readIsValidSignature.ts'
import type { Call, LatchkeyAccount } from '../types.ts'
import { modularAccountV2Actions } from './modularAccountV2Actions.ts'
import { toModularAccountV2 } from './toModularAccountV2.ts'
import { upgradeToModularAccountV2 } from './upgradeToModularAccountV2.ts'

const stage = setChain()
const target = '0x00000000000000000000000000000000000000aa'

async function open(create: (owner: ReturnType<typeof newKey>) => Promise<LatchkeyAccount>) {
  const owner = newKey()
  const account = await stage.funded(await create(owner))
  return { owner, account, client: stage.createBundler(account).extend(modularAccountV2Actions) }
}

type Sender = {
  sendUserOperation(parameters: { calls: readonly Call[] }): Promise<Hex>
  waitForUserOperationReceipt(parameters: { hash: Hex }): Promise<{ success: boolean }>
}

async function include(client: Sender, calls: readonly Call[]) {
  return client.waitForUserOperationReceipt({ hash: await client.sendUserOperation({ calls }) })
}

test.each([
  ['default', {}],
  ['single-signer', { mode: 'single-signer' }],
] as const)(
  'sends from an account of the mode %s, undeployed and deployed, with parallel keys',
  async (_mode, more) => {
    const { account, client } = await open((owner) => toModularAccountV2({ client: stage.reader, owner, ...more }))
    expect(await include(client, [{ to: target, value: 1n }])).toMatchObject({ success: true })
    expect(await include(client, [mint(account.address, 5n), { to: target, value: 1n }])).toMatchObject({
      success: true,
    })
    expect(await stage.balanceOf(account.address)).toBe(5n)
    const nonce = await account.getNonce({ key: 7n })
    expect(nonce >> 64n).toBe((7n << 40n) | 1n)
    const hash = await client.sendUserOperation({ calls: [{ to: target, value: 1n }], nonce })
    expect(await client.waitForUserOperationReceipt({ hash })).toMatchObject({ success: true })
  },
)

test('signs messages that the account accepts, undeployed and deployed', async () => {
  const { account, client } = await open((owner) => toModularAccountV2({ client: stage.reader, owner }))
  const { address } = account
  expect(
    await stage.reader.verifyMessage({
      address,
      message: 'hello',
      signature: await account.signMessageWith6492({ message: 'hello' }),
    }),
  ).toBe(true)
  await include(client, [{ to: target, value: 1n }])
  const typedData = {
    domain: { name: 'Shop', chainId: stage.reader.chain.id },
    types: { Order: [{ name: 'item', type: 'string' }] },
    primaryType: 'Order',
    message: { item: 'book' },
  } as const
  const signed = [
    [hashMessage('hello'), await account.signMessage({ message: 'hello' })],
    [hashTypedData(typedData), await account.signTypedData(typedData)],
  ] as const
  for (const [hash, signature] of signed)
    expect(await readIsValidSignature(stage.reader, { address, hash, signature })).toBe(true)
  const stranger = await toModularAccountV2({ client: stage.reader, owner: newKey(), accountAddress: address })
  const signature = await stranger.signMessage({ message: 'hello' })
  expect(await readIsValidSignature(stage.reader, { address, hash: hashMessage('hello'), signature })).toBe(false)
})

test('names the errors of the account and its modules', async () => {
  await toModularAccountV2({ client: stage.reader, owner: newKey() })
  expect(decodeRevert('0x94c58c94')?.text).toBe('ExceededNativeTokenLimit()')
})

test('reads which module implements a function', async () => {
  const { account, client } = await open((owner) => toModularAccountV2({ client: stage.reader, owner }))
  const unknown = { module: zeroAddress, executionHooks: [] }
  expect(await client.getExecutionData({ selector: '0xb61d27f6' })).toMatchObject(unknown)
  await include(client, [{ to: target, value: 1n }])
  const own = { module: account.address, allowGlobalValidation: true, skipRuntimeValidation: false }
  expect(await client.getExecutionData({ selector: '0xb61d27f6' })).toEqual({ ...own, executionHooks: [] })
  expect(await client.getExecutionData({ selector: '0x12345678' })).toMatchObject(unknown)
  await expect(client.getExecutionData({ selector: '0x1234' })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

test('transfers the ownership', async () => {
  const { account, client } = await open((owner) => toModularAccountV2({ client: stage.reader, owner }))
  await expect(client.getFallbackSigner()).rejects.toMatchObject({ code: 'OWNER_NOT_FOUND' })
  const next = newKey()
  await client.transferOwnership({ newOwner: next.address, waitForTxn: true })
  expect(await client.getFallbackSigner()).toEqual({ signer: next.address, isDisabled: false })
  await expect(include(client, [{ to: target, value: 1n }])).rejects.toThrow(/AA2[34]/)
  const theirs = await toModularAccountV2({ client: stage.reader, owner: next, accountAddress: account.address })
  expect(await include(stage.createBundler(theirs), [{ to: target, value: 1n }])).toMatchObject({ success: true })
})

test('installs and uninstalls a validation', async () => {
  const { account, client } = await open((owner) => toModularAccountV2({ client: stage.reader, owner }))
  const key = newKey()
  const moduleAddress = modularAccountV2Modules.singleSigner
  await client.installValidation({
    validationConfig: { moduleAddress, entityId: 1, isUserOpValidation: true },
    selectors: ['0xb61d27f6'],
    installData: encodeAbiParameters([{ type: 'uint32' }, { type: 'address' }], [1, key.address]),
    hooks: [],
    waitForTxn: true,
  })
  expect(await client.getValidationData({ moduleAddress, entityId: 1 })).toMatchObject({
    isUserOpValidation: true,
    isSignatureValidation: false,
    isGlobal: false,
    selectors: ['0xb61d27f6'],
  })
  const session = await toModularAccountV2({
    client: stage.reader,
    owner: key,
    accountAddress: account.address,
    signerEntity: { entityId: 1 },
  })
  const bundler = stage.createBundler(session)
  expect(await include(bundler, [{ to: target, value: 1n }])).toMatchObject({ success: true })
  // The key may call `execute`, but not `executeBatch`.
  await expect(include(bundler, [{ to: target }, { to: target }])).rejects.toThrow(/AA23|ValidationFunctionMissing/)
  const uninstallData = encodeAbiParameters([{ type: 'uint32' }], [1])
  await client.uninstallValidation({
    moduleAddress,
    entityId: 1,
    uninstallData,
    hookUninstallDatas: [],
    waitForTxn: true,
  })
  await expect(include(bundler, [{ to: target, value: 1n }])).rejects.toThrow(/AA23|ValidationFunctionMissing/)
})

test.each([
  ['LightAccount v1.1.0', (owner) => toLightAccount({ client: stage.reader, owner })],
  ['LightAccount v2.0.0', (owner) => toLightAccount({ client: stage.reader, owner, version: 'v2.0.0' })],
  ['MultiOwnerLightAccount', (owner) => toMultiOwnerLightAccount({ client: stage.reader, owner })],
  ['MultiOwnerModularAccount', (owner) => toModularAccount({ client: stage.reader, owner })],
] as const satisfies [string, (owner: ReturnType<typeof newKey>) => Promise<LatchkeyAccount>][])(
  'upgrades a %s, undeployed and deployed, and keeps address and coins',
  async (_name, create) => {
    for (const isDeployed of [false, true]) {
      const { owner, account, client } = await open(create)
      if (isDeployed) await include(client, [{ to: target, value: 1n }])
      await upgradeToModularAccountV2(client, { waitForTxn: true })
      const accountAddress = account.address
      const upgraded = await toModularAccountV2({ client: stage.reader, owner, accountAddress })
      const after = stage.createBundler(upgraded).extend(modularAccountV2Actions)
      expect(await include(after, [mint(accountAddress, 3n)])).toMatchObject({ success: true })
      expect(await stage.balanceOf(accountAddress)).toBe(3n)
      expect(await after.getFallbackSigner()).toEqual({ signer: owner.address, isDisabled: false })
      const signature = await upgraded.signMessage({ message: 'hello' })
      const hash = hashMessage('hello')
      expect(await readIsValidSignature(stage.reader, { address: accountAddress, hash, signature })).toBe(true)
    }
  },
)

test('refuses to upgrade an account that others own too', async () => {
  const other = newKey().address
  const { client } = await open((owner) => toModularAccount({ client: stage.reader, owner, owners: [other] }))
  await include(client, [{ to: target, value: 1n }])
  await expect(upgradeToModularAccountV2(client)).rejects.toMatchObject({ code: 'OWNERS_INVALID' })
})

test('sends and signs with a passkey as the owner, undeployed and deployed', async () => {
  const passkey = newPasskey()
  const account = await stage.funded(await toModularAccountV2({ client: stage.reader, owner: passkey }))
  const client = stage.createBundler(account)
  const { address } = account
  const wrapped = await account.signMessageWith6492({ message: 'hello' })
  expect(await stage.reader.verifyMessage({ address, message: 'hello', signature: wrapped })).toBe(true)
  for (const value of [1n, 2n]) expect(await include(client, [{ to: target, value }])).toMatchObject({ success: true })
  const again = await toModularAccountV2({ client: stage.reader, owner: passkey, accountAddress: address })
  const signature = await again.signMessage({ message: 'hello' })
  const hash = hashMessage('hello')
  expect(await readIsValidSignature(stage.reader, { address, hash, signature })).toBe(true)
  const stranger = await toModularAccountV2({ client: stage.reader, owner: newPasskey(), accountAddress: address })
  const forged = await stranger.signMessage({ message: 'hello' })
  expect(await readIsValidSignature(stage.reader, { address, hash, signature: forged })).toBe(false)
  await expect(include(stage.createBundler(stranger), [{ to: target }])).rejects.toThrow(/AA2[34]/)
})

test('adds a passkey to the account of a key', async () => {
  const { account, client } = await open((owner) => toModularAccountV2({ client: stage.reader, owner }))
  const passkey = newPasskey()
  const [x, y] = [slice(passkey.publicKey, 0, 32), slice(passkey.publicKey, 32, 64)]
  const entityId = 5
  await client.installValidation({
    validationConfig: {
      moduleAddress: modularAccountV2Modules.webauthn,
      entityId,
      isUserOpValidation: true,
      isSignatureValidation: true,
      isGlobal: true,
    },
    selectors: [],
    installData: concat([numberToHex(entityId, { size: 32 }), x, y]),
    hooks: [],
    waitForTxn: true,
  })
  const added = await toModularAccountV2({
    client: stage.reader,
    owner: passkey,
    accountAddress: account.address,
    signerEntity: { entityId, isGlobalValidation: true },
  })
  expect(await include(stage.createBundler(added), [{ to: target, value: 1n }])).toMatchObject({ success: true })
  const signature = await added.signMessage({ message: 'hello' })
  const hash = hashMessage('hello')
  expect(await readIsValidSignature(stage.reader, { address: account.address, hash, signature })).toBe(true)
})
