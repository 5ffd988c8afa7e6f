import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { mint } from '@latchkey/testkit/demoToken'
import { createPublicClient, custom, http, RpcRequestError } from 'viem'
import { expect, test } from 'vitest'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import { toModularAccount } from '../modularAccount/toModularAccount.ts'
import { toModularAccountV2 } from '../modularAccountV2/toModularAccountV2.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import { addOwner } from '../owners/changeOwners.ts'
import { rotateOwner } from '../owners/rotateOwner.ts'
import { passkeySignerFactory, passkeyVerifiers, toPasskeyOwner } from '../owners/toPasskeyOwner.ts'
import { withOwner } from '../owners/withOwner.ts'
import type { LatchkeyAccount } from '../types.ts'
import type { DescribedOwner } from './accountDescriptor.ts'
import { describeAccount } from './describeAccount.ts'
import { readAccountDescriptor } from './readAccountDescriptor.ts'

const stage = setChain()
const connect = (account: LatchkeyAccount) => stage.createBundler(account)
const [owner, second] = [newKey(), newKey()]
const token = '0x1111111111111111111111111111111111111111'
const rpId = 'localhost'

const accounts = [
  ['LightAccount', () => toLightAccount({ client: stage.reader, owner, version: 'v2.0.0', salt: 5n })],
  [
    'MultiOwnerLightAccount',
    () => toMultiOwnerLightAccount({ client: stage.reader, owner, owners: [second.address], salt: 5n }),
  ],
  [
    'MultiOwnerModularAccount',
    () => toModularAccount({ client: stage.reader, owner, owners: [second.address], salt: 5n }),
  ],
  ['ModularAccountV2', () => toModularAccountV2({ client: stage.reader, owner, salt: 5n })],
] as const

const reread = (descriptor: object) => readAccountDescriptor(JSON.stringify(descriptor, null, 2))

test.each(accounts)('describes a %s and reads the descriptor back', async (type, make) => {
  const account = await make()
  const descriptor = await describeAccount({ account, assets: [token] })
  const addresses = type.startsWith('MultiOwner') ? [owner.address, second.address] : [owner.address]
  const { format, chains, salt } = descriptor
  expect({ format, chains, salt }).toEqual({ format: 'latchkey-account-2', chains: [stage.chainId], salt: '5' })
  expect(descriptor).toMatchObject({ type, address: account.address })
  expect([...descriptor.firstOwners].sort()).toEqual(addresses.sort())
  expect(descriptor.owners).toEqual(descriptor.firstOwners.map((address) => ({ kind: 'key', address })))
  expect(descriptor.implementation).toMatch(/^0x[0-9a-fA-F]{40}$/)
  expect(await reread(descriptor)).toEqual({ ...descriptor, signer: owner.address })
})

const withPasskey: [string, (owner: ReturnType<typeof newKey>) => Promise<LatchkeyAccount>][] = [
  ['MultiOwnerLightAccount', (owner) => toMultiOwnerLightAccount({ client: stage.reader, owner })],
  ['MultiOwnerModularAccount', (owner) => toModularAccount({ client: stage.reader, owner })],
  ['ModularAccountV2', (owner) => toModularAccountV2({ client: stage.reader, owner })],
]

test.each(withPasskey)('names the added passkey of a %s, signed by the key or the passkey', async (type, make) => {
  const [key, passkey] = [newKey(), newPasskey()]
  const account = await stage.funded(await make(key))
  await addOwner(connect(account), { owner: passkey, waitForTxn: true })
  await expect(describeAccount({ account })).rejects.toMatchObject({
    code: 'ARGUMENT_INVALID',
    message: expect.stringContaining('Pass `rpId`'),
  })
  const byKey = await describeAccount({ account, rpId, passkeys: [newPasskey(), passkey] })
  expect(byKey.firstOwners).toEqual([key.address])
  expect(byKey.owners).toContainEqual({ kind: 'key', address: key.address })
  const found = byKey.owners.find(({ kind }) => kind === 'passkey')
  const { publicKey, id } = passkey
  const signerOf = async () => ({
    signer: await (await toPasskeyOwner({ client: stage.reader, passkey })).getAddress(),
    verifiers: passkeyVerifiers,
  })
  expect(found).toEqual({
    kind: 'passkey',
    x: publicKey.slice(0, 66),
    y: `0x${publicKey.slice(66)}`,
    rpId,
    credentialId: id,
    ...(type === 'ModularAccountV2' ? { entityId: expect.any(Number) } : await signerOf()),
  })
  expect(await reread(byKey)).toEqual({ ...byKey, signer: key.address })

  const signed = await withOwner({ account, owner: passkey })
  const byPasskey = await describeAccount({ account: signed, rpId })
  const { signer } = await reread(byPasskey)
  expect(signer).toBe(await signed.getSigner().getAddress())
  await expect(reread({ ...byPasskey, salt: '1' })).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
  const other = { ...byPasskey, signature: await newOwnerSignature(signed) }
  await expect(reread(other)).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
  await expect(describeAccount({ account: signed, rpId: 'elsewhere.example' })).rejects.toMatchObject({
    code: 'ARGUMENT_INVALID',
    message: expect.stringContaining('is not of the site elsewhere.example'),
  })
})

/** Returns a signature of the same passkey for another text. */
const newOwnerSignature = (account: LatchkeyAccount) => account.getSigner().signMessage({ message: 'hello' })

test('describes a LightAccount that was handed over to a passkey', async () => {
  const [key, passkey] = [newKey(), newPasskey()]
  const account = await stage.funded(await toLightAccount({ client: stage.reader, owner: key, version: 'v1.1.0' }))
  await rotateOwner({ accounts: [account], to: passkey, keep: [], connect, allowSinglePasskey: true })
  const descriptor = await describeAccount({ account: await withOwner({ account, owner: passkey }), rpId })
  expect(descriptor).toMatchObject({ firstOwners: [key.address], owners: [{ kind: 'passkey', rpId }] })
  expect(await reread(descriptor)).toMatchObject({ address: account.address })
})

test('describes a ModularAccountV2 that was created with a passkey, before and after its deployment', async () => {
  const passkey = newPasskey()
  const account = await stage.funded(await toModularAccountV2({ client: stage.reader, owner: passkey, salt: 7n }))
  const before = await describeAccount({ account, rpId })
  const point = { kind: 'passkey', x: passkey.publicKey.slice(0, 66), y: `0x${passkey.publicKey.slice(66)}` }
  expect(before).toMatchObject({ firstOwners: [{ ...point, entityId: 0 }], owners: [{ ...point, rpId, entityId: 0 }] })
  expect(await reread(before)).toMatchObject({ salt: '7', signer: account.publicKey })
  await stage.send(account, [mint(account.address, 1n)])
  const { signature: _, ...after } = await describeAccount({ account, rpId })
  expect({ ...before, ...after }).toEqual(before)
})

test('names the known owners of a ModularAccountV2 where the node refuses to search events', async () => {
  const [key, passkey, unknown] = [newKey(), newPasskey(), newPasskey()]
  const account = await stage.funded(await toModularAccountV2({ client: stage.reader, owner: key }))
  await addOwner(connect(account), { owner: passkey, waitForTxn: true })
  const node = http(stage.nodeUrl)({ chain: stage.chain })
  const request = (given: { method: string; params?: unknown }) => {
    if (given.method !== 'eth_getLogs') return node.request(given)
    throw new RpcRequestError({ body: given, url: stage.nodeUrl, error: { code: -32005, message: 'range too large' } })
  }
  const client = createPublicClient({ chain: stage.chain, transport: custom({ request }, { retryCount: 0 }) })
  const limited = await toModularAccountV2({ client, owner: key })
  const { owners } = await describeAccount({ account: limited, rpId, passkeys: [unknown, passkey] })
  expect(owners).toEqual([
    { kind: 'key', address: key.address },
    expect.objectContaining({ kind: 'passkey', credentialId: passkey.id, entityId: expect.any(Number) }),
  ])
  const stranger = await toModularAccountV2({ client, owner: newKey(), accountAddress: account.address })
  await expect(describeAccount({ account: stranger, rpId })).rejects.toMatchObject({ code: 'RPC_FAILED' })
})

test('names contracts and accepts owners that were read elsewhere', async () => {
  const contract = passkeySignerFactory
  const account = await toMultiOwnerLightAccount({ client: stage.reader, owner, owners: [contract] })
  const { owners, firstOwners } = await describeAccount({ account })
  expect(owners).toContainEqual({ kind: 'contract', address: contract })
  expect(firstOwners).toContain(contract)
  const known: DescribedOwner[] = [{ kind: 'key', address: owner.address, entityId: 3 }]
  const validation = { moduleAddress: token, entityId: 3 } as const
  const given = [{ kind: 'key', address: owner.address, validation }] as const
  expect((await describeAccount({ account, owners: given })).owners).toEqual(known)
})

test('refuses to describe an account whose owner is a contract', async () => {
  const account = await accounts[0][1]()
  const getSigner = () => ({ ...account.getSigner(), isContract: true })
  await expect(describeAccount({ account: { ...account, getSigner } })).rejects.toMatchObject({
    code: 'SIGNATURE_UNSUPPORTED',
  })
})

test('says which modes of a ModularAccountV2 it describes', async () => {
  const account = await toModularAccountV2({ client: stage.reader, owner, mode: 'single-signer' })
  await expect(describeAccount({ account })).rejects.toMatchObject({
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    message: expect.stringContaining('only `default` and `webauthn`'),
  })
})

test('refuses an account at the address of its own key, which needs no descriptor', async () => {
  const account = await toModularAccountV2({ client: stage.reader, owner, mode: '7702' })
  await expect(describeAccount({ account })).rejects.toMatchObject({
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    message: expect.stringContaining('Export the key'),
  })
})
