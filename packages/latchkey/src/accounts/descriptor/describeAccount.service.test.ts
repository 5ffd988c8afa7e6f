import { newKey } from '@latchkey/testkit/accounts/setChain'
import { createClient, custom, pad } from 'viem'
import { expect, test } from 'vitest'
import { latchkeyDev } from '../../core/chains/latchkeyDev.ts'
import { toLightAccount } from '../lightAccount/toLightAccount.ts'
import { toModularAccount } from '../modularAccount/toModularAccount.ts'
import { toModularAccountV2 } from '../modularAccountV2/toModularAccountV2.ts'
import { toMultiOwnerLightAccount } from '../multiOwnerLightAccount/toMultiOwnerLightAccount.ts'
import { type AccountDescriptor, readAccountDescriptor, toSignedText } from './accountDescriptor.ts'
import { describeAccount } from './describeAccount.ts'

const request = async ({ method }: { method: string }) => (method === 'eth_getStorageAt' ? pad('0x') : '0x')
const client = createClient({ chain: latchkeyDev, transport: custom({ request }) })
const [owner, second] = [newKey(), newKey()]
const token = '0x1111111111111111111111111111111111111111'

const accounts = [
  ['LightAccount', () => toLightAccount({ client, owner, version: 'v2.0.0', salt: 5n })],
  ['MultiOwnerLightAccount', () => toMultiOwnerLightAccount({ client, owner, owners: [second.address], salt: 5n })],
  ['MultiOwnerModularAccount', () => toModularAccount({ client, owner, owners: [second.address], salt: 5n })],
] as const

test.each(accounts)('describes a %s and reads the descriptor back', async (type, make) => {
  const account = await make()
  const descriptor = await describeAccount({ account, assets: [token] })
  const owners = type === 'LightAccount' ? [owner.address] : [owner.address, second.address]
  expect(descriptor).toMatchObject({ type, address: account.address, salt: '5', chains: [latchkeyDev.id] })
  expect([...descriptor.owners].sort()).toEqual(owners.sort())
  expect(descriptor.implementation).toMatch(/^0x[0-9a-fA-F]{40}$/)
  const read = await readAccountDescriptor(JSON.stringify(descriptor, null, 2))
  expect(read).toEqual({ ...descriptor, signer: owner.address })
})

test('accepts a descriptor without the fields that were added later', async () => {
  const { implementation: _, signature: __, ...first } = await describeAccount({ account: await accounts[0][1]() })
  const signature = await owner.signMessage({ message: toSignedText(first) })
  expect(await readAccountDescriptor(JSON.stringify({ ...first, signature }))).toMatchObject({ signer: owner.address })
})

test('refuses a descriptor that is altered, signed by another key, unsigned or malformed', async () => {
  const descriptor = await describeAccount({ account: await accounts[1][1](), assets: [token] })
  const refuse = (fields: object, code: string) =>
    expect(readAccountDescriptor(JSON.stringify({ ...descriptor, ...fields }))).rejects.toMatchObject({ code })
  const others: Partial<AccountDescriptor>[] = [
    { salt: '6' },
    { chains: [1] },
    { assets: [] },
    { assets: undefined },
    { implementation: token },
    { factory: token },
    { owners: [owner.address] },
  ]
  for (const fields of others) await refuse(fields, 'SIGNATURE_INVALID')
  const strange = await newKey().signMessage({ message: toSignedText(descriptor) })
  await refuse({ signature: strange }, 'SIGNATURE_INVALID')
  await refuse({ signature: undefined }, 'SIGNATURE_MISSING')
  const wrong = [{ format: 'x' }, { address: 'x' }, { owners: [] }, { salt: '-1' }, { chains: ['1'] }, { assets: [1] }]
  for (const fields of wrong) await refuse(fields, 'ARGUMENT_INVALID')
  for (const text of ['', '[', 'null', 'x'.repeat(100_001)])
    await expect(readAccountDescriptor(text)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
})

test('refuses to describe an account whose owner is a contract', async () => {
  const account = await accounts[0][1]()
  const getSigner = () => ({ ...account.getSigner(), isContract: true })
  await expect(describeAccount({ account: { ...account, getSigner } })).rejects.toMatchObject({
    code: 'SIGNATURE_UNSUPPORTED',
  })
})

test('describes a ModularAccountV2 of the default mode, and says that it describes no other', async () => {
  const described = await describeAccount({ account: await toModularAccountV2({ client, owner, salt: 5n }) })
  expect(described).toMatchObject({ type: 'ModularAccountV2', owners: [owner.address], salt: '5' })
  const account = await toModularAccountV2({ client, owner, mode: 'single-signer' })
  await expect(describeAccount({ account })).rejects.toMatchObject({
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    message: expect.stringContaining('only `default`'),
  })
})

test('refuses an account at the address of its own key, which needs no descriptor', async () => {
  const account = await toModularAccountV2({ client, owner, mode: '7702' })
  await expect(describeAccount({ account })).rejects.toMatchObject({
    code: 'UNSUPPORTED_ACCOUNT_TYPE',
    message: expect.stringContaining('Export the key'),
  })
})
