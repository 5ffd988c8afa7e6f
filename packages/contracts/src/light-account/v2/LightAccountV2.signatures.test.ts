import { concat, type Hex, keccak256, parseSignature, serializeSignature, toHex, zeroHash } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  byContract,
  byKey,
  createLightAccount,
  isValid,
  lightAccountV2,
  validate,
} from '../../../../../test/contracts/lightAccounts.ts'
import { revertOf } from '../../../../../test/contracts/revertOf.ts'
import { startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'

const hash = keccak256(toHex('operation'))

let chain: TestChain
beforeAll(async () => {
  // The chain of the published signature vectors.
  chain = await startTestChain({ chainId: 80001 })
})
afterAll(() => chain.close())

/** The same signature with the other s: it recovers to the same key, and is refused (EIP-2). */
function mirrored(signature: Hex): Hex {
  const { r, s, yParity } = parseSignature(signature)
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  return serializeSignature({ r, s: toHex(order - BigInt(s), { size: 32 }), yParity: yParity === 0 ? 1 : 0 })
}

test('error: signatures that are none, in operations and by ERC-1271', async () => {
  const it = await createLightAccount(chain, lightAccountV2)
  const right = await it.owner.signMessage({ message: { raw: hash } })
  // A key is no contract.
  expect(await validate(lightAccountV2, it, byContract(right), hash)).toBe(1n)
  const { s } = parseSignature(mirrored(right))
  const cases: [Hex, string, unknown[]][] = [
    ['0x', 'InvalidSignatureType', []],
    [right, 'InvalidSignatureType', []],
    [concat(['0x02', right]), 'InvalidSignatureType', []],
    [concat(['0x03', right]), 'InvalidSignatureType', []],
    ['0xff', 'InvalidSignatureType', []],
    ['0x00', 'ECDSAInvalidSignatureLength', [0n]],
    [byKey(concat([right, '0x00'])), 'ECDSAInvalidSignatureLength', [66n]],
    [byKey(right.slice(0, -2) as Hex), 'ECDSAInvalidSignatureLength', [64n]],
    [byKey(mirrored(right)), 'ECDSAInvalidSignatureS', [s]],
    [byKey(`${right.slice(0, -2)}1d` as Hex), 'ECDSAInvalidSignature', []],
    [byKey(concat([zeroHash, zeroHash, '0x1b'])), 'ECDSAInvalidSignature', []],
  ]
  for (const [signature, name, args] of cases) {
    if (signature === right && (right.startsWith('0x00') || right.startsWith('0x01'))) continue
    expect(await revertOf(validate(lightAccountV2, it, signature, hash)), signature).toEqual({ name, args })
    expect(await revertOf(isValid(it, hash, signature)), signature).toEqual({ name, args })
  }
})

test('behavior: the domain is told by ERC-5267', async () => {
  const { address, read } = await createLightAccount(chain, lightAccountV2)
  expect(await read.getEip712Domain({ address })).toEqual({
    domain: {
      name: 'LightAccount',
      version: '2',
      chainId: 80001,
      verifyingContract: address,
      salt: zeroHash,
    },
    extensions: [],
    fields: '0x0f',
  })
})
