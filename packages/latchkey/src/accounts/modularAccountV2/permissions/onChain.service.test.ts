import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { demo, mint } from '@latchkey/testkit/demoToken'
import { test } from '@latchkey/testkit/worker'
import type { Permission } from 'latchkey-protocol'
import { createPublicClient, encodeFunctionData, erc20Abi, type Hex, http, parseEther, toHex } from 'viem'
import { sepolia } from 'viem/chains'
import { expect } from 'vitest'
import { toLightAccount } from '../../lightAccount/toLightAccount.ts'
import type { Call } from '../../types.ts'
import { modularAccountV2Actions } from '../modularAccountV2Actions.ts'
import { toModularAccountV2 } from '../toModularAccountV2.ts'
import type { PermissionsGrant } from './grantPermissions.ts'

const stage = setChain()
const target = '0x00000000000000000000000000000000000000aa'
const other = '0x00000000000000000000000000000000000000bb'
const transfer = (to: Hex, amount: bigint) => ({
  to: demo,
  data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, amount] }),
})

async function open() {
  const owner = newKey()
  const account = await stage.funded(await toModularAccountV2({ client: stage.reader, owner }))
  return { owner, account, client: stage.createBundler(account).extend(modularAccountV2Actions) }
}
type Client = Awaited<ReturnType<typeof open>>['client']

/** Grants permissions to a new key. Returns a function that sends calls with the key. */
async function grant(client: Client, permissions: readonly Permission[], more: { expirySec?: number } = {}) {
  const key = newKey()
  const granted = await client.grantPermissions({ key: key.address, permissions, ...more })
  return { key, granted, send: await openSession(key, granted) }
}

async function openSession(key: ReturnType<typeof newKey>, granted: PermissionsGrant) {
  const session = await toModularAccountV2({ client: stage.reader, owner: key, grant: granted })
  const bundler = stage.createBundler(session)
  return async (calls: readonly Call[]) => {
    const hash = await bundler.sendUserOperation({ calls })
    return (await bundler.waitForUserOperationReceipt({ hash })).success
  }
}

test('installs a key with its first operation, which also deploys the account', async () => {
  const { account, client } = await open()
  const { granted, key, send } = await grant(client, [{ type: 'contract-access', data: { address: target } }])
  expect(await send([{ to: target, value: 1n }])).toBe(true)
  expect(await send([{ to: target, value: 1n }, { to: target }])).toBe(true)
  // A grant must survive JSON, so that an agent can store it.
  const again = await openSession(key, JSON.parse(JSON.stringify(granted)))
  expect(await again([{ to: target, value: 1n }])).toBe(true)
  expect(await stage.reader.getCode({ address: account.address })).toMatch(/^0x.{40,}/)
  await expect(send([{ to: other, value: 1n }])).rejects.toThrow(/AddressNotAllowed|AA23|0x2b53784e/)
  await expect(send([{ to: target }, { to: other }])).rejects.toThrow(/AddressNotAllowed|AA23|0x2b53784e/)
})

test('limits tokens and native currency over all operations', async () => {
  const { account, client } = await open()
  await stage.send(account, [mint(account.address, 100n)])
  const { send } = await grant(client, [
    { type: 'erc20-token-transfer', data: { address: demo, allowance: '0x0a' } },
    { type: 'contract-access', data: { address: target } },
    { type: 'native-token-transfer', data: { allowance: '0x03' } },
  ])
  expect(await send([transfer(target, 6n), { to: target, value: 2n }])).toBe(true)
  await expect(send([transfer(target, 5n)])).rejects.toThrow()
  await expect(send([{ to: target, value: 2n }])).rejects.toThrow()
  expect(await send([transfer(target, 4n), { to: target, value: 1n }])).toBe(true)
  expect(await stage.balanceOf(account.address)).toBe(90n)
})

test('limits the gas that the account pays for a key', async () => {
  const { client } = await open()
  const access = { type: 'contract-access', data: { address: target } } as const
  const rich = await grant(client, [access, { type: 'gas-limit', data: { limit: toHex(parseEther('0.1')) } }])
  expect(await rich.send([{ to: target, value: 1n }])).toBe(true)
  const poor = await grant(client, [access, { type: 'gas-limit', data: { limit: '0x01' } }])
  await expect(poor.send([{ to: target, value: 1n }])).rejects.toThrow(/AA23|AA33|ExceededNativeTokenLimit|0x94c58c94/)
})

test('lets a key call only the functions of its permissions', async () => {
  const { account, client } = await open()
  const functions = [mint(demo, 1n).data.slice(0, 10) as Hex]
  const { send } = await grant(client, [{ type: 'functions-on-contract', data: { address: demo, functions } }])
  expect(await send([mint(account.address, 5n)])).toBe(true)
  await expect(send([transfer(target, 1n)])).rejects.toThrow()
  const own = encodeFunctionData({
    abi: [
      {
        type: 'function',
        name: 'updateFallbackSignerData',
        inputs: [{ type: 'address' }, { type: 'bool' }],
        outputs: [],
        stateMutability: 'nonpayable',
      },
    ],
    args: [other, false],
  })
  for (const calls of [[{ to: account.address, data: own }], [mint(other, 1n), { to: account.address, data: own }]])
    await expect(send(calls)).rejects.toThrow()
  expect((await client.getFallbackSigner()).signer).toBe(await account.getSigner().getAddress())
})

test('refuses an expired key, and a grant whose signature is of another account', async () => {
  const { client } = await open()
  const past = Math.floor(Date.now() / 1000) - 1_000
  const expired = await grant(client, [{ type: 'root' }], { expirySec: past })
  await expect(expired.send([{ to: target }])).rejects.toThrow()
  const [mine, theirs] = [
    await grant(client, [{ type: 'root' }]),
    await grant((await open()).client, [{ type: 'root' }]),
  ]
  const { signature } = theirs.granted.deferredAction
  const forged = { ...mine.granted, deferredAction: { ...mine.granted.deferredAction, signature } }
  await expect((await openSession(mine.key, forged))([{ to: target }])).rejects.toThrow()
})

test('revokes an installed key once, and other grants of its entity id with it', async () => {
  const { client } = await open()
  const permissions: Permission[] = [
    { type: 'contract-access', data: { address: target } },
    { type: 'native-token-transfer', data: { allowance: '0xff' } },
  ]
  const { granted, key, send } = await grant(client, permissions)
  expect(await client.listValidations()).toEqual([])
  expect(await send([{ to: target, value: 1n }])).toBe(true)
  expect(await client.listValidations()).toMatchObject([
    { entityId: granted.entityId, signer: key.address, isGlobal: false, selectors: ['0xb61d27f6', '0x34fcd5be'] },
  ])
  const { entityId } = granted
  const again = await client.grantPermissions({ key: key.address, permissions, entityId })
  await client.revokePermissions({ entityId, waitForTxn: true })
  expect(await client.listValidations()).toEqual([])
  for (const each of [send, await openSession(key, again)])
    await expect(each([{ to: target, value: 1n }])).rejects.toThrow()
  await expect(client.revokePermissions({ grant: granted })).rejects.toMatchObject({ code: 'SESSION_KEY_NOT_FOUND' })
  // Another grant with the same entity id is signed for the next nonce.
  const renewed = await client.grantPermissions({ key: key.address, permissions, entityId })
  expect(await (await openSession(key, renewed))([{ to: target, value: 1n }])).toBe(true)
})

test.each<
  [
    name: string,
    permissions: Permission[],
    toParameters: (grant: PermissionsGrant) => { entityId: number } | { grant: PermissionsGrant },
  ]
>([
  ['by its entity id', [{ type: 'contract-access', data: { address: target } }], ({ entityId }) => ({ entityId })],
  ['as a whole', [{ type: 'root' }], (grant) => ({ grant })],
])('revokes a grant that was never used, %s', async (_, permissions, toParameters) => {
  const { client } = await open()
  const { granted, send } = await grant(client, permissions)
  const stranger = (await open()).client
  await expect(stranger.revokePermissions({ grant: granted })).rejects.toMatchObject({ code: 'SESSION_KEY_NOT_FOUND' })
  await client.revokePermissions({ ...toParameters(granted), waitForTxn: true })
  await expect(send([{ to: target, value: 1n }])).rejects.toThrow()
  expect(await client.listValidations()).toEqual([])
  await expect(client.revokePermissions({ grant: granted })).rejects.toMatchObject({ code: 'SESSION_KEY_NOT_FOUND' })
})

test('refuses permissions that would change the account, other accounts, and a grant of another chain', async () => {
  const { client } = await open()
  const key = newKey()
  const permissions = [{ type: 'account-functions', data: { functions: ['0x30009d52'] } }] as const
  const grant = client.grantPermissions({ key: key.address, permissions })
  await expect(grant).rejects.toMatchObject({ code: 'PERMISSIONS_INVALID' })
  const light = await toLightAccount({ client: stage.reader, owner: newKey() })
  const lightClient = stage.createBundler(light).extend(modularAccountV2Actions)
  const root = { key: key.address, permissions: [{ type: 'root' }] } as const
  for (const asked of [lightClient.grantPermissions(root), lightClient.revokePermissions({ entityId: 1 })])
    await expect(asked).rejects.toMatchObject({ code: 'UNSUPPORTED_ACCOUNT_TYPE' })
  const granted = await client.grantPermissions(root)
  const elsewhere = createPublicClient({ chain: sepolia, transport: http('http://127.0.0.1:9') })
  await expect(toModularAccountV2({ client: elsewhere, owner: key, grant: granted })).rejects.toMatchObject({
    code: 'CHAIN_MISMATCH',
  })
})
