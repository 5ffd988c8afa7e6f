import { createHash } from 'node:crypto'
import { readArtifact, type TestChain } from '@latchkey/testkit/chain'
import { deploy } from '@latchkey/testkit/contracts/modularAccounts'
import { createPasskey, order, signLow } from '@latchkey/testkit/contracts/passkeys'
import { test } from '@latchkey/testkit/contracts/test'
import { p256 } from '@noble/curves/nist.js'
import fc from 'fast-check'
import { type Address, bytesToHex, encodeAbiParameters, type Hex, parseAbiParameters, toHex } from 'viem'
import { expect } from 'vitest'

const field = 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn

let chain: TestChain
let address: Address
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  address = await deploy(chain, 'P256Verifier')
})

type Signature = { hash: Hex; r: bigint; s: bigint; x: bigint; y: bigint }
const verify = (functionName: 'verify' | 'verifyWithoutPrecompile', { hash, r, s, x, y }: Signature) =>
  chain.client(1).read.readContract({
    address,
    abi: readArtifact('P256Verifier').abi,
    functionName,
    args: [hash, r, s, x, y],
  })
/** Verifies in both ways, which must agree. */
async function isValid(signature: Signature): Promise<boolean> {
  const both = [await verify('verify', signature), await verify('verifyWithoutPrecompile', signature)]
  expect(both[0]).toBe(both[1])
  return both[0] as boolean
}

function createSignature(data: Uint8Array): Signature {
  const { x, y, privateKey } = createPasskey()
  return { hash: bytesToHex(createHash('sha256').update(data).digest()), ...signLow(privateKey, data), x, y }
}

test('accepts signatures of random keys, and no changed ones', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 50 }),
      fc.constantFrom('hash', 'r', 's', 'x', 'y'),
      async (data, part) => {
        const good = createSignature(data)
        expect(await isValid(good)).toBe(true)
        const changed = part === 'hash' ? toHex(BigInt(good.hash) ^ 1n, { size: 32 }) : good[part as 'r'] ^ 2n
        expect(await isValid({ ...good, [part]: changed })).toBe(false)
      },
    ),
    { numRuns: 12 },
  )
})

test('refuses values out of range, and points that are not on the curve', async () => {
  const good = createSignature(new Uint8Array())
  const cases: Partial<Signature>[] = [
    { r: 0n },
    { s: 0n },
    { r: order },
    { r: good.r + order },
    { x: 0n, y: 0n },
    { x: good.x + field },
    { y: field - 1n },
    { x: field },
  ]
  for (const change of cases) {
    const tooLarge = Object.values(change).some((value) => typeof value === 'bigint' && value >= 2n ** 256n)
    if (!tooLarge) expect(await isValid({ ...good, ...change }), JSON.stringify(Object.keys(change))).toBe(false)
  }
  expect(await verify('verify', { ...good, s: order - good.s })).toBe(false)
  // The signature itself is valid, as the precompile confirms.
  expect(await verify('verifyWithoutPrecompile', { ...good, s: order - good.s })).toBe(true)
})

test('adds points that are equal, opposite or none on the way', async () => {
  // Uses the generator and its negation as keys, and hashes of zero, so that the intermediate sums coincide.
  const point = p256.Point.BASE
  for (const [secret, key] of [
    [1n, point],
    [order - 1n, point.negate()],
    [2n, point.double()],
  ] as const) {
    for (const hash of [0n, 1n, order, 2n ** 256n - 1n]) {
      for (const k of [1n, 2n, 3n]) {
        const { x, y } = key.toAffine()
        const r = point.multiply(k).toAffine().x % order
        const inverse = p256.Point.Fn.inv(k)
        const s = p256.Point.Fn.create(inverse * (hash + r * secret))
        if (s === 0n) continue
        const low = s > order / 2n ? order - s : s
        expect(await isValid({ hash: toHex(hash, { size: 32 }), r, s: low, x, y }), `${secret} ${hash} ${k}`).toBe(true)
      }
    }
  }
})

test('costs less where the chain has the precompile', async () => {
  const { hash, r, s, x, y } = createSignature(new Uint8Array([1]))
  const { read, account } = chain.client(1)
  const data = encodeAbiParameters(parseAbiParameters('bytes32, uint256, uint256, uint256, uint256'), [
    hash,
    r,
    s,
    x,
    y,
  ])
  const answer = await read.call({ to: '0x0000000000000000000000000000000000000100', data })
  expect(answer.data).toBe(toHex(1, { size: 32 }))
  const { abi } = readArtifact('P256Verifier')
  const gasOf = (functionName: 'verify' | 'verifyWithoutPrecompile', signed = hash) =>
    read.estimateContractGas({ address, abi, functionName, args: [signed, r, s, x, y], account })
  expect(await gasOf('verify')).toBeLessThan(50_000n)
  // Even a refusal costs little, since the node has the precompile.
  expect(await gasOf('verify', toHex(1, { size: 32 }))).toBeLessThan(60_000n)
  expect(await gasOf('verifyWithoutPrecompile')).toBeLessThan(600_000n)
})
