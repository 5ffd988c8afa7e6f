import { newPasskey } from '@latchkey/testkit/accounts/newPasskey'
import { newKey } from '@latchkey/testkit/accounts/setChain'
import fc from 'fast-check'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { toModuleOwner } from '../modularAccountV2/moduleOwner.ts'
import { type AccountDescriptor, type DescribedPasskey, toSignedText } from './accountDescriptor.ts'
import { readAccountDescriptor } from './readAccountDescriptor.ts'

const owner = newKey()
const passkey = newPasskey()
const other = '0x1111111111111111111111111111111111111111'
const place = { factory: other, entryPoint: '0x0000000071727De22E5E9d8BAf0edAc6f37da032', chains: [1, 10] } as const
const x = passkey.publicKey.slice(0, 66) as Hex
const y: Hex = `0x${passkey.publicKey.slice(66)}`
const attached = { kind: 'passkey', x, y, rpId: 'wallet.example', credentialId: 'p0o9' } as const
const byEntity: DescribedPasskey = { ...attached, entityId: 9 }
const byContract: DescribedPasskey = { ...attached, signer: other, verifiers: `0x${'0100'.padEnd(44, 'c')}` }
const descriptor: AccountDescriptor = {
  format: 'latchkey-account-2',
  type: 'MultiOwnerLightAccount',
  version: 'v2.0.0',
  address: other,
  firstOwners: [owner.address],
  owners: [{ kind: 'key', address: owner.address }, { kind: 'contract', address: other }, byContract, byEntity],
  salt: '0',
  ...place,
  implementation: other,
  assets: [other],
}
const sign = async (fields: AccountDescriptor, by = owner) => ({
  ...fields,
  signature: await by.signMessage({ message: toSignedText(fields) }),
})
const read = (fields: object) => readAccountDescriptor(JSON.stringify(fields))

test('reads format 2, whatever the order of the members', async () => {
  const signed = await sign(descriptor)
  expect(await read(signed)).toEqual({ ...signed, signer: owner.address })
  const owners = signed.owners.map((one) => Object.fromEntries(Object.entries(one).reverse()))
  const reversed = Object.fromEntries(Object.entries({ ...signed, owners }).reverse())
  expect(await read(reversed)).toMatchObject({ signer: owner.address })
})

test('reads format 1, also without the fields that were added later', async () => {
  const { implementation, assets, owners: _, ...first } = descriptor
  const old: AccountDescriptor = { ...first, format: 'latchkey-account-1', owners: [] }
  for (const fields of [old, { ...old, implementation, assets }]) {
    const { signature } = await sign(fields)
    const { firstOwners, owners: _, ...rest } = fields
    const written = { ...rest, owners: firstOwners, signature }
    expect(toSignedText(fields)).toContain(`"owners":["${owner.address}"],"salt"`)
    expect(await read(written)).toEqual({ ...fields, signature, signer: owner.address })
    await expect(read({ ...written, owners: [other] })).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
  }
})

test('accepts the signature of an owner that was added later', async () => {
  const added = newKey()
  const fields: AccountDescriptor = { ...descriptor, owners: [{ kind: 'key', address: added.address }] }
  expect(await read(await sign(fields, added))).toMatchObject({ signer: added.address })
})

test('refuses a passkey that signed on another site', async () => {
  const message = toSignedText(descriptor)
  // The software passkey signs for localhost.
  const signature = await toModuleOwner(passkey).owner.signMessage({ message })
  await expect(read({ ...descriptor, signature })).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
  const own = { ...descriptor, owners: [{ ...byEntity, rpId: 'localhost' }] }
  const signed = await toModuleOwner(passkey).owner.signMessage({ message: toSignedText(own) })
  expect(await read({ ...own, signature: signed })).toMatchObject({ address: other })
})

test('refuses a descriptor that is altered, signed by another key or unsigned', async () => {
  const signed = await sign(descriptor)
  const [key, contract] = descriptor.owners
  const altered: Partial<AccountDescriptor>[] = [
    { salt: '6' },
    { chains: [1] },
    { assets: [] },
    { assets: undefined },
    { implementation: undefined },
    { factory: place.entryPoint },
    { firstOwners: [owner.address, other] },
    { owners: descriptor.owners.slice(0, 1) },
    { owners: descriptor.owners.slice(0, 1).concat(byEntity, byContract) },
    { owners: [key, contract, byContract, { ...byEntity, entityId: 10 }].filter((one) => one !== undefined) },
    { owners: [key, contract, byContract, { ...byEntity, rpId: 'other.example' }].filter((one) => one !== undefined) },
  ]
  for (const fields of altered)
    await expect(read({ ...signed, ...fields }), JSON.stringify(fields)).rejects.toMatchObject({
      code: 'SIGNATURE_INVALID',
    })
  await expect(read(await sign(descriptor, newKey()))).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
  for (const signature of ['0x', `0x${'00'.repeat(65)}`, `0x${'ff'.repeat(400)}`, `0x${'00'.repeat(31)}20`])
    await expect(read({ ...signed, signature })).rejects.toMatchObject({ code: 'SIGNATURE_INVALID' })
  await expect(read(descriptor)).rejects.toMatchObject({ code: 'SIGNATURE_MISSING' })
})

const withOwner = (fields: object) => ({ owners: [{ ...byEntity, ...fields }] })

test.each<[string, object, string]>([
  ['an unknown format', { format: 'x' }, 'latchkey-account-1 or latchkey-account-2'],
  ['a later format', { format: 'latchkey-account-3' }, 'Use the latest version'],
  ['a wrong address', { address: 'x' }, 'wrong `address`'],
  ['no address', { address: undefined }, 'lacks `address`'],
  ['an address in lower case', { address: owner.address.toLowerCase() }, 'wrong `address`'],
  ['no owners', { owners: [] }, 'wrong `owners`'],
  ['an owner that is text', { owners: [owner.address] }, 'wrong `owners[0]`'],
  ['no first owners', { firstOwners: undefined }, 'lacks `firstOwners`'],
  ['too many owners', { firstOwners: Array(101).fill(other) }, 'wrong `firstOwners`'],
  ['a wrong first owner', { firstOwners: ['0x12'] }, 'wrong `firstOwners[0]`'],
  ['an unknown kind', { owners: [{ kind: 'robot', address: other }] }, 'Known kinds are key, passkey and contract'],
  ['a first owner of another kind', { firstOwners: [{ kind: 'key' }] }, 'unknown kind'],
  ['no kind', { owners: [{ address: other }] }, 'lacks `owners[0].kind`'],
  ['a key without an address', { owners: [{ kind: 'key' }] }, 'lacks `owners[0].address`'],
  ['a point that is not on the curve', withOwner({ y: x }), '`owners[0]` is not a point on P-256'],
  ['the point 0', withOwner({ x: `0x${'0'.repeat(64)}`, y: `0x${'0'.repeat(64)}` }), 'not a point on P-256'],
  ['a coordinate beyond the field', withOwner({ x: `0x${'f'.repeat(64)}` }), 'not a point on P-256'],
  ['a short coordinate', withOwner({ x: '0x12' }), 'wrong `owners[0].x`'],
  ['a passkey without a site', withOwner({ rpId: undefined }), 'lacks `owners[0].rpId`'],
  ['a site that is a URL', withOwner({ rpId: 'https://wallet.example' }), 'wrong `owners[0].rpId`'],
  ['a wrong credential id', withOwner({ credentialId: 'a b' }), 'wrong `owners[0].credentialId`'],
  ['a wrong entity id', withOwner({ entityId: 2 ** 32 }), 'wrong `owners[0].entityId`'],
  ['a passkey that is not attached', withOwner({ entityId: undefined }), 'lacks `owners[0].verifiers`'],
  ['a negative salt', { salt: '-1' }, 'wrong `salt`'],
  ['chains that are text', { chains: ['1'] }, 'wrong `chains`'],
  ['assets that are numbers', { assets: [1] }, 'wrong `assets`'],
  ['a signature that is not hex', { signature: 'x' }, 'wrong `signature`'],
])('refuses %s', async (_, fields, message) => {
  await expect(read({ ...(await sign(descriptor)), ...fields })).rejects.toMatchObject({
    code: 'ARGUMENT_INVALID',
    message: expect.stringContaining(message),
  })
})

test('refuses every text that is no descriptor with a typed error', async () => {
  const signed = await sign(descriptor)
  const codes = ['ARGUMENT_INVALID', 'SIGNATURE_MISSING', 'SIGNATURE_INVALID']
  for (const text of ['', '[', '[]', 'null', '1', 'x'.repeat(100_001)])
    await expect(readAccountDescriptor(text)).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(signed)), fc.jsonValue(), async (name, value) => {
      const text = JSON.stringify({ ...signed, [name]: value })
      const code = await readAccountDescriptor(text).then(
        () => undefined,
        (error: { code: string }) => error.code,
      )
      expect(codes).toContain(code)
    }),
    { numRuns: 300, seed: Number(process.env.LATCHKEY_SEED) },
  )
})
