import type { TestChain } from '@latchkey/testkit/chain'
import {
  createPaymaster,
  encodeTimes,
  exampleOperation,
  hashSponsorship,
  type PaidOperation,
  type PaymasterVersion,
  payFor,
  paymasterVersions,
  someTimes,
  validate,
} from '@latchkey/testkit/contracts/paymasters'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import fc from 'fast-check'
import { concatHex, encodeFunctionData, type Hex, numberToHex, size, slice, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { expect } from 'vitest'

const each = test.each(paymasterVersions)
const stranger = privateKeyToAccount(generatePrivateKey())
const limits = numberToHex(9n, { size: 32 })
/** Published clients send these 97 bytes before they have the real data. */
const dummy: Hex = `0x${'ff'.repeat(32)}fffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c`

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

async function setUp(version: PaymasterVersion) {
  const paymaster = await createPaymaster(chain, version)
  const common = { chainId: chain.chainId, version, paymaster }
  const operation = exampleOperation(version)
  return {
    ...paymaster,
    operation,
    pay: (signer = paymaster.signer, times = someTimes) => payFor({ ...common, operation, signer, times }),
    hash: (changed: PaidOperation, times = someTimes, gas = limits) =>
      hashSponsorship({ ...common, operation: changed, times, limits: gas }),
    validate: (changed: PaidOperation) => validate(paymaster, changed),
    head: version.limits ? concatHex([paymaster.address, limits]) : paymaster.address,
  }
}

each('accepts a sponsorship of its signer ($name)', async (version) => {
  const it = await setUp(version)
  expect(await it.validate(await it.pay())).toEqual({ context: '0x', isSigned: true, ...someTimes })
})

each('returns any signed times ($name)', async (version) => {
  const it = await setUp(version)
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
  await fc.assert(
    fc.asyncProperty(time, time, async (validUntil, validAfter) => {
      const operation = await it.pay(it.signer, { validUntil, validAfter })
      expect(await it.validate(operation)).toMatchObject({ isSigned: true, validUntil, validAfter })
    }),
    { numRuns: 20 },
  )
})

each('hashes any operation as EIP-712 does ($name)', async (version) => {
  const it = await setUp(version)
  const bytes = fc.uint8Array({ maxLength: 200 }).map((value) => toHex(value))
  const word = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })
  const sender = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((value) => toHex(value))
  await fc.assert(
    fc.asyncProperty(bytes, bytes, word, sender, async (initCode, callData, nonce, from) => {
      const paymasterAndData = concatHex([it.head, encodeTimes(someTimes), `0x${'11'.repeat(65)}`])
      const operation = { ...it.operation, initCode, callData, nonce, sender: from, paymasterAndData }
      const args = [operation, someTimes.validUntil, someTimes.validAfter]
      const hash = await it.read.readContract({ address: it.address, abi: it.abi, functionName: 'getHash', args })
      expect(hash).toBe(it.hash(operation))
    }),
    { numRuns: 20 },
  )
})

test.each(paymasterVersions.filter(({ version }) => version === '0.8.0' || version === '0.9.0'))(
  'hashes the delegate in place of the marker of EIP-7702 ($name)',
  async (version) => {
    const it = await setUp(version)
    const [sender, delegate] = [generatePrivateKey(), generatePrivateKey()].map(
      (key) => privateKeyToAccount(key).address,
    ) as [Hex, Hex]
    const paymasterAndData = concatHex([it.head, encodeTimes(someTimes), `0x${'11'.repeat(65)}`])
    const hashOnChain = (initCode: Hex) => {
      const operation = { ...it.operation, sender, initCode, paymasterAndData }
      const args = [operation, someTimes.validUntil, someTimes.validAfter]
      return it.read.readContract({ address: it.address, abi: it.abi, functionName: 'getHash', args })
    }
    const hash = (initCode: Hex) => it.hash({ ...it.operation, sender, initCode })
    await chain.request('anvil_setCode', [sender, concatHex(['0xef0100', delegate])])
    const marker: Hex = `0x7702${'00'.repeat(18)}`
    expect(await hashOnChain('0x7702')).toBe(hash(delegate))
    expect(await hashOnChain(marker)).toBe(hash(delegate))
    expect(await hashOnChain(`${marker}aabb`)).toBe(hash(`${delegate}aabb`))
    const factory: Hex = `0x7702${'00'.repeat(17)}01`
    expect(await hashOnChain(factory)).toBe(hash(factory))
  },
)

each('refuses any field changed after signing ($name)', async (version) => {
  const it = await setUp(version)
  const paid = await it.pay()
  const fields = Object.keys(paid).filter((field) => field !== 'paymasterAndData' && field !== 'signature')
  expect(fields).toHaveLength(version.limits ? 7 : 9)
  for (const field of fields) {
    const value = paid[field]
    const changed = typeof value === 'bigint' ? value + 1n : flipLast(value as Hex)
    expect((await it.validate({ ...paid, [field]: changed })).isSigned, field).toBe(false)
  }
  // The account signs after the paymaster.
  expect((await it.validate({ ...paid, signature: '0x99' })).isSigned).toBe(true)
})

each('refuses any changed byte of its data ($name)', async (version) => {
  const it = await setUp(version)
  const { paymasterAndData } = await it.pay()
  // The first 20 bytes select the paymaster.
  for (let index = 20; index < size(paymasterAndData); index += 1) {
    const flipped = concatHex([
      slice(paymasterAndData, 0, index),
      numberToHex(Number(slice(paymasterAndData, index, index + 1)) ^ 0x40, { size: 1 }),
      ...(index + 1 < size(paymasterAndData) ? [slice(paymasterAndData, index + 1)] : []),
    ])
    const result = await it.validate({ ...it.operation, paymasterAndData: flipped })
    expect(result.isSigned, `byte ${index}`).toBe(false)
  }
})

each('refuses a foreign key, chain, paymaster or entry point ($name)', async (version) => {
  const [it, other] = [await setUp(version), await setUp(version)]
  expect((await it.validate(await it.pay(stranger))).isSigned).toBe(false)
  const { operation, signer } = it
  const common = { version, operation, signer, chainId: chain.chainId, paymaster: it }
  expect((await it.validate(await payFor({ ...common, chainId: chain.chainId + 1 }))).isSigned).toBe(false)
  expect((await it.validate(await payFor({ ...common, paymaster: other }))).isSigned).toBe(false)
  const elsewhere = { ...version, entryPoint: stranger.address } as unknown as PaymasterVersion
  expect((await it.validate(await payFor({ ...common, version: elsewhere }))).isSigned).toBe(false)
  expect((await it.validate(await payFor(common))).isSigned).toBe(true)
})

each('refuses data of any other form without a revert ($name)', async (version) => {
  const it = await setUp(version)
  const { paymasterAndData } = await it.pay()
  const good = slice(paymasterAndData, size(paymasterAndData) - 65)
  const mirrored = `0x${slice(good, 0, 32).slice(2)}${'f'.repeat(64)}1c` as Hex
  const forms: Hex[] = [
    it.head,
    concatHex([it.head, '0x01']),
    slice(paymasterAndData, 0, size(paymasterAndData) - 1),
    concatHex([paymasterAndData, '0x00']),
    concatHex([it.head, encodeTimes(someTimes), `0x${'00'.repeat(65)}`]),
    concatHex([it.head, encodeTimes(someTimes, 1n), good]),
    concatHex([it.head, encodeTimes(someTimes), mirrored]),
    concatHex([it.head, dummy]),
  ]
  if (version.limits) forms.push(it.address, concatHex([it.address, limits.slice(0, 34) as Hex]))
  for (const form of forms)
    expect((await it.validate({ ...it.operation, paymasterAndData: form })).isSigned, form).toBe(false)
  const any = fc.uint8Array({ maxLength: 200 }).map((value) => concatHex([it.address, toHex(value)]))
  const refused = async (form: Hex): Promise<void> => {
    expect((await it.validate({ ...it.operation, paymasterAndData: form })).isSigned).toBe(false)
  }
  await fc.assert(fc.asyncProperty(any, refused), { numRuns: 30 })
})

each('refuses a signature that recovers to zero without a rotation ($name)', async (version) => {
  const it = await setUp(version)
  // This r is not on the curve, so ecrecover returns zero like an empty nextSigner.
  const nothing = concatHex([numberToHex(5n, { size: 32 }), numberToHex(1n, { size: 32 }), '0x1b'])
  const paymasterAndData = concatHex([it.head, encodeTimes(someTimes), nothing])
  expect((await it.validate({ ...it.operation, paymasterAndData })).isSigned).toBe(false)
})

each('accepts both signers during a rotation, then the new one alone ($name)', async (version) => {
  const it = await setUp(version)
  const next = privateKeyToAccount(generatePrivateKey())
  const byBoth = async () => {
    const [old, fresh] = [await it.validate(await it.pay()), await it.validate(await it.pay(next))]
    return [old.isSigned, fresh.isSigned]
  }
  const send = (functionName: string, args: readonly unknown[] = []) =>
    it.client.transact({ to: it.address, data: encodeFunctionData({ abi: it.abi, functionName, args }) })
  expect(await byBoth()).toEqual([true, false])
  await send('startSignerRotation', [next.address])
  expect(await byBoth()).toEqual([true, true])
  await send('finishSignerRotation')
  expect(await byBoth()).toEqual([false, true])
})

each('answers only the entry point ($name)', async (version) => {
  const it = await setUp(version)
  const asked = validate(it, await it.pay(), stranger.address)
  expect(await readRevert(asked)).toEqual({ name: 'NotEntryPoint', args: [stranger.address] })
})

function flipLast(value: Hex): Hex {
  return `${value.slice(0, -1)}${value.endsWith('1') ? '2' : '1'}` as Hex
}
