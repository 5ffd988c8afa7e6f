import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  type LightAccountVersion,
  lightAccountVersions,
} from '@latchkey/testkit/contracts/lightAccounts'
import { test } from '@latchkey/testkit/contracts/test'
import { concat, keccak256, toHex } from 'viem'
import { expect } from 'vitest'

const each = test.each(lightAccountVersions)

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const setUp = (version: LightAccountVersion) => createLightAccount(chain, version)

function slotOf(namespace: string): bigint {
  const inner = toHex(BigInt(keccak256(toHex(namespace))) - 1n, { size: 32 })
  return BigInt(keccak256(inner)) & ~0xffn
}

// The public code uses other slots. No client reads them.
each('stores its state in ERC-7201 namespaces ($name)', async (version) => {
  const it = await setUp(version)
  const { address, owner, read } = it
  const readSlot = async (slot: bigint) =>
    BigInt((await read.getStorageAt({ address, slot: toHex(slot, { size: 32 }) })) ?? 0)
  const own = slotOf(`latchkey.storage.${version.family}`)
  if (version.family === 'LightAccount') expect(await readSlot(own)).toBe(BigInt(owner.address))
  else {
    // The list is a ring in which the anchor and the owner point to each other.
    const member = (name: bigint) => BigInt(keccak256(concat([toHex(name, { size: 32 }), toHex(own, { size: 32 })])))
    expect(await readSlot(member(1n << 160n))).toBe(BigInt(owner.address))
    expect(await readSlot(member(BigInt(owner.address)))).toBe(1n << 160n)
  }
  const family = BigInt(keccak256(toHex(version.family)).slice(0, 18))
  expect(await readSlot(slotOf('latchkey.storage.Initializable'))).toBe(family)
  // A variable outside the namespaces would use the first slots.
  for (const slot of [0n, 1n, 2n, 3n]) expect(await readSlot(slot)).toBe(0n)
})
