import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  isValid,
  lightAccountV2,
  multiOwnerLightAccountV2,
  signDigest,
  validate,
} from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { concat, type Hex, hashMessage, keccak256, slice, toHex, zeroAddress, zeroHash } from 'viem'
import { expect } from 'vitest'

const hash = keccak256(toHex('operation'))
const versions = [lightAccountV2, multiOwnerLightAccountV2]

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

test.each(versions)('refuses signatures of an unknown type ($name)', async (version) => {
  const it = await createLightAccount(chain, version)
  const right = await it.owner.signMessage({ message: { raw: hash } })
  const { address } = it.owner
  const foreign: Hex[] =
    version === lightAccountV2
      ? [concat(['0x02', address, right]), concat(['0x02', right])]
      : [concat(['0x01', right]), concat(['0x01', address, right]), concat(['0x02', slice(address, 0, 19)]), '0x02']
  for (const signature of ['0x' as const, concat(['0x03', right]), '0xff' as const, ...foreign]) {
    const refusal = { name: 'InvalidSignatureType', args: [] }
    expect(await readRevert(validate(it, signature, hash)), signature).toEqual(refusal)
    expect(await readRevert(isValid(it, hash, signature)), signature).toEqual(refusal)
  }
})

test.each(versions)('never mistakes a key for a contract, or a contract for a key ($name)', async (version) => {
  const it = await createLightAccount(chain, version)
  const right = await it.owner.signMessage({ message: { raw: hash } })
  expect(await validate(it, version.byContract(right, it.owner.address), hash)).toBe(1n)
  const owned = await createLightAccount(chain, version, it.address)
  // The owner's owner signs directly, without the contract in between.
  const digest = hashMessage('hello')
  expect(await isValid(owned, digest, await signDigest(owned, it.owner, digest))).toBe('0xffffffff')
})

test.each(versions)('returns its domain by ERC-5267 ($name)', async (version) => {
  const { address, read } = await createLightAccount(chain, version)
  expect(await read.getEip712Domain({ address })).toEqual({
    domain: { ...version.domain, chainId: chain.chainId, verifyingContract: address, salt: zeroHash },
    extensions: [],
    fields: '0x0f',
  })
})

test.each(versions)('refuses to withdraw a deposit to the zero address ($name)', async (version) => {
  const { account, owner, read } = await createLightAccount(chain, version)
  const args = [zeroAddress, 1n]
  const call = { ...account, functionName: 'withdrawDepositTo', args, account: owner.address }
  expect((await readRevert(read.simulateContract(call))).name).toBe('ZeroAddressNotAllowed')
})
