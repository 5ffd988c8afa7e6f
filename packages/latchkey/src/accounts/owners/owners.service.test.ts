import { newPasskey, type PasskeyBehavior } from '@latchkey/testkit/accounts/newPasskey'
import { message, newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { mint } from '@latchkey/testkit/demoToken'
import { test } from '@latchkey/testkit/worker'
import { hashMessage, isAddressEqual } from 'viem'
import { describe, expect } from 'vitest'
import { flag } from '../../../../dev/src/testing/webauthn.ts'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import { toModularAccount } from '../modularAccount/toModularAccount.ts'
import { toModularAccountV2 } from '../modularAccountV2/toModularAccountV2.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import type { OwnerParameter } from '../owner.ts'
import { readIsValidSignature } from '../reads/readIsValidSignature.ts'
import { toSimple7702Account } from '../simple7702Account/toSimple7702Account.ts'
import type { LatchkeyAccount } from '../types.ts'
import { addOwner, removeOwner } from './changeOwners.ts'
import { ownershipOf } from './ownership.ts'
import { readAccountOwners } from './readAccountOwners.ts'
import { type RotationProgress, rotateOwner } from './rotateOwner.ts'
import { toPasskeyOwner } from './toPasskeyOwner.ts'
import { withOwner } from './withOwner.ts'

const stage = setChain()
const connect = (account: LatchkeyAccount) => stage.createBundler(account)

type Open = (owner: OwnerParameter) => Promise<LatchkeyAccount>
const light: Open = (owner) => toLightAccount({ client: stage.reader, owner, version: 'v2.0.0' })
const severalOwners: [string, Open][] = [
  ['MultiOwnerLightAccount', (owner) => toMultiOwnerLightAccount({ client: stage.reader, owner })],
  ['MultiOwnerModularAccount', (owner) => toModularAccount({ client: stage.reader, owner })],
  ['ModularAccountV2', (owner) => toModularAccountV2({ client: stage.reader, owner })],
]
const singleOwner: [string, Open][] = [
  ['LightAccount v1.1.0', (owner) => toLightAccount({ client: stage.reader, owner })],
  ['LightAccount v2.0.0', light],
]

const open = async (create: Open, owner: OwnerParameter = newKey()) => stage.funded(await create(owner))

async function canSend(account: LatchkeyAccount): Promise<boolean> {
  return stage.send(account, [mint(account.address, 1n)]).then(
    () => true,
    () => false,
  )
}

async function canSign(account: LatchkeyAccount): Promise<boolean> {
  const signature = await account.signMessage({ message })
  return readIsValidSignature(stage.reader, { address: account.address, hash: hashMessage(message), signature })
}

const passkeyAddress = async (account: LatchkeyAccount, passkey: ReturnType<typeof newPasskey>) =>
  (await ownershipOf(account).resolve(stage.reader, passkey)).address

const kindsOf = async (account: LatchkeyAccount) =>
  (await readAccountOwners({ account })).owners.map(({ kind }) => kind).sort()

describe.each(severalOwners)('%s', (_name, create) => {
  test('adds a passkey, which then owns the account alone', async () => {
    const key = newKey()
    const account = await open(create, key)
    expect(await readAccountOwners({ account })).toMatchObject({
      isDeployed: false,
      isSingle: false,
      owners: [{ kind: 'key', address: key.address }],
    })
    const passkey = newPasskey()
    await addOwner(connect(account), { owner: passkey, waitForTxn: true })
    expect(await kindsOf(account)).toEqual(['key', 'passkey'])
    const byPasskey = await withOwner({ account, owner: passkey })
    expect(byPasskey.address).toBe(account.address)
    expect(await canSign(byPasskey)).toBe(true)
    await expect(removeOwner(connect(byPasskey), { owner: key.address })).rejects.toMatchObject({
      code: 'OWNERS_INVALID',
    })
    const steps: RotationProgress[] = []
    const rotation = { to: passkey, keep: [], connect, allowSinglePasskey: true } as const
    const onProgress = (progress: RotationProgress) => steps.push(progress)
    const [result] = await rotateOwner({ ...rotation, accounts: [account], onProgress })
    expect(result).toMatchObject({ chainId: stage.chainId, owners: [{ kind: 'passkey' }] })
    expect(steps.filter(({ state }) => state !== 'pending').map(({ step, state }) => `${step} ${state}`)).toEqual([
      'add skipped',
      'prove done',
      'remove done',
    ])
    expect(await canSend(byPasskey)).toBe(true)
    expect(await canSend(account)).toBe(false)
    expect(await canSign(account)).toBe(false)
    await rotateOwner({ ...rotation, accounts: [byPasskey] })
    expect(await kindsOf(byPasskey)).toEqual(['passkey'])
  })

  test('replaces a key by another key', async () => {
    const [first, second] = [newKey(), newKey()]
    const account = await open(create, first)
    const [result] = await rotateOwner({ accounts: [account], to: second, keep: [], connect })
    expect(result?.owners).toMatchObject([{ kind: 'key', address: second.address }])
    const bySecond = await withOwner({ account, owner: second })
    expect(await canSend(bySecond)).toBe(true)
    expect(await canSend(account)).toBe(false)
    await addOwner(connect(bySecond), { owner: first, waitForTxn: true })
    expect(await kindsOf(account)).toEqual(['key', 'key'])
    await removeOwner(connect(await withOwner({ account, owner: first })), { owner: second.address, waitForTxn: true })
    expect((await readAccountOwners({ account })).owners).toMatchObject([{ address: first.address }])
  })

  test('removes nothing if the new owner cannot prove itself', async () => {
    const key = newKey()
    const account = await open(create, key)
    const behavior: PasskeyBehavior = {}
    const passkey = newPasskey(behavior)
    await addOwner(connect(account), { owner: passkey, waitForTxn: true })
    behavior.isDeleted = true
    const rotation = { accounts: [account], to: passkey, keep: [], connect, allowSinglePasskey: true }
    await expect(rotateOwner(rotation)).rejects.toThrow()
    expect(await kindsOf(account)).toEqual(['key', 'passkey'])
    // An owner with the address of one key that signs with another key.
    const [named, other] = [newKey(), newKey()]
    const forged = { ...other, address: named.address }
    await expect(rotateOwner({ accounts: [account], to: forged, keep: [], connect })).rejects.toMatchObject({
      code: 'OWNER_NOT_PROVEN',
    })
    expect(await kindsOf(account)).toEqual(['key', 'key', 'passkey'])
    expect(await canSend(account)).toBe(true)
  })

  test('refuses what would lock the account', async () => {
    const key = newKey()
    const account = await open(create, key)
    const passkey = newPasskey()
    const one = { accounts: [account], to: passkey, connect }
    await expect(rotateOwner({ ...one, keep: [] })).rejects.toMatchObject({ code: 'OWNERS_INVALID' })
    await expect(rotateOwner({ ...one, keep: [newKey().address] })).rejects.toMatchObject({ code: 'OWNERS_INVALID' })
    const strangers = [await passkeyAddress(account, passkey), newKey().address]
    await expect(rotateOwner({ ...one, keep: strangers })).rejects.toMatchObject({ code: 'OWNERS_INVALID' })
    await expect(rotateOwner({ ...one, accounts: [] })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    const mixed = [account, await light(key)]
    await expect(rotateOwner({ ...one, accounts: mixed })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    await expect(addOwner(connect(account), { owner: key })).rejects.toMatchObject({ code: 'OWNERS_INVALID' })
    await expect(removeOwner(connect(account), { owner: key.address })).rejects.toMatchObject({
      code: 'OWNERS_INVALID',
    })
    await expect(removeOwner(connect(account), { owner: newKey().address })).rejects.toMatchObject({
      code: 'OWNER_NOT_FOUND',
    })
    expect(await account.isDeployed()).toBe(false)
  })
})

describe.each(singleOwner)('%s', (_name, create) => {
  test('hands the account over to a proven owner only', async () => {
    const key = newKey()
    const account = await open(create, key)
    const passkey = newPasskey()
    await expect(addOwner(connect(account), { owner: passkey })).rejects.toMatchObject({ code: 'OWNERS_INVALID' })
    await expect(rotateOwner({ accounts: [account], to: passkey, connect })).rejects.toMatchObject({
      code: 'OWNERS_INVALID',
    })
    const rotation = { accounts: [account], keep: [], connect, allowSinglePasskey: true }
    for (const flags of [flag.userPresent, 0]) {
      const unverified = newPasskey({ flags })
      await expect(rotateOwner({ ...rotation, to: unverified })).rejects.toMatchObject({ code: 'OWNER_NOT_PROVEN' })
    }
    expect(await account.isDeployed()).toBe(false)
    await rotateOwner({ ...rotation, to: passkey })
    expect(await kindsOf(account)).toEqual(['passkey'])
    const byPasskey = await withOwner({ account, owner: passkey })
    expect(await canSend(byPasskey)).toBe(true)
    expect(await canSign(byPasskey)).toBe(true)
    expect(await canSend(account)).toBe(false)
    const back = await rotateOwner({ accounts: [byPasskey], to: key, keep: [], connect })
    expect(back[0]?.owners).toMatchObject([{ kind: 'key', address: key.address }])
    expect(await canSend(account)).toBe(true)
  })
})

test('tells passkeys, keys and other contracts apart', async () => {
  const passkey = newPasskey({ more: { topOrigin: 'https://shop.example', crossOrigin: true } })
  const contract = await stage.funded(await light(newKey()))
  expect(await canSend(contract)).toBe(true)
  const owner = newKey()
  const account = await stage.funded(
    await toMultiOwnerLightAccount({ client: stage.reader, owner, owners: [contract.address] }),
  )
  await addOwner(connect(account), { owner: passkey, waitForTxn: true })
  const { owners } = await readAccountOwners({ account })
  const address = await (await toPasskeyOwner({ client: stage.reader, passkey })).getAddress()
  const kindOf = (wanted: string) => owners.find((each) => isAddressEqual(each.address, wanted as typeof address))?.kind
  expect([kindOf(owner.address), kindOf(contract.address), kindOf(address)]).toEqual(['key', 'contract', 'passkey'])
  expect(await canSend(await withOwner({ account, owner: passkey }))).toBe(true)
})

test('never changes the owner of a delegated address', async () => {
  const account = await toSimple7702Account({ client: stage.reader, owner: newKey() })
  await expect(readAccountOwners({ account })).rejects.toMatchObject({ code: 'UNSUPPORTED_ACCOUNT_TYPE' })
})
