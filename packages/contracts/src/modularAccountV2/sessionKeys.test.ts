import type { TestChain } from '@latchkey/testkit/chain'
import {
  call,
  createModularAccountV2,
  createOperation,
  createSemiModularAccount,
  encode,
  entryPoint,
  execute,
  handle,
  hashOperation,
  inContext,
  isSignature,
  isUserOp,
  type ModularV2TestAccount,
  modules,
  preHook,
  runtimeCall,
  singleSigner,
  toConfig,
  toEntity,
  toLocator,
  validate,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { modularAccountV2Abi, semiModularStorageOnlyAbi } from '@latchkey/testkit/contracts/modularAccountV2Abis'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { createSessionKeyV2, type SessionKeyV2 } from '@latchkey/testkit/contracts/sessionKeysV2'
import { test } from '@latchkey/testkit/contracts/test'
import fc from 'fast-check'
import {
  type AbiFunction,
  type Address,
  concat,
  type Hex,
  hashMessage,
  toFunctionSelector,
  toFunctionSignature,
  toHex,
} from 'viem'
import { expect } from 'vitest'

/** A key that may call selected functions tries to call others. */

const nobody = '0x000000000000000000000000000000000000dEaD'

let chain: TestChain
let it: ModularV2TestAccount
let session: SessionKeyV2
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createSemiModularAccount(chain)
  session = await createSessionKeyV2(chain, it, [])
})

const functions = [...semiModularStorageOnlyAbi, ...modularAccountV2Abi].flatMap((item) =>
  item.type === 'function' ? [[toFunctionSignature(item), item] as const] : [],
)
const selected: readonly Hex[] = ['0xb61d27f6', '0x34fcd5be']
const batchOf = (data: Hex) => call('executeBatch', [{ target: it.address, value: 0n, data }])
const refusals = /^(ValidationFunctionMissing|SelfCallRecursionDepthExceeded)$/

test.each([...new Map<string, AbiFunction>(functions)])('cannot call %s', async (_, item) => {
  const selector = toFunctionSelector(item)
  if (selected.includes(selector)) return
  // The data after the selector does not matter.
  const data = concat([selector, `0x${'00'.repeat(320)}`])
  for (const callData of [
    data,
    inContext(data),
    batchOf(data),
    inContext(batchOf(data)),
    execute(it.address, 0n, data),
  ]) {
    for (const options of [0, 1]) {
      const operation = await session.sign(callData, { options })
      expect((await readRevert(validate(chain, it, operation))).name, callData.slice(0, 10)).toMatch(refusals)
    }
  }
  for (const callData of [data, batchOf(data), execute(it.address, 0n, data)]) {
    const request = { account: session.key.address, to: it.address }
    await expect(it.read.call({ ...request, data: runtimeCall(callData, 5, 0) })).rejects.toThrow()
    await expect(it.read.call({ ...request, data: runtimeCall(callData, 0, 1) })).rejects.toThrow()
  }
})

test('cannot reach the account by way of another contract', async () => {
  // The entry point and the modules see the account as their caller. A key's call must never be taken for the account's
  // own.
  const seize = call('updateFallbackSignerData', session.key.address, false)
  for (const target of [modules.SingleSignerValidationModule, modules.AllowlistModule, nobody] as const) {
    await handle(chain, await session.sign(execute(target, 0n, seize)))
    const read = { ...it.account, functionName: 'getFallbackSignerData' }
    expect(await it.read.readContract(read)).toEqual([it.owner.address, false])
  }
})

test('cannot sign for another account that it is not a key of', async () => {
  const other = await createSemiModularAccount(chain)
  const operation = await createOperation(chain, other, execute(nobody), {
    signer: session.key,
    entityId: 5,
    options: 0,
  })
  expect((await readRevert(validate(chain, other, operation))).name).toBe('ValidationFunctionMissing')
  await handle(
    chain,
    await createOperation(
      chain,
      other,
      call('installValidation', toConfig(singleSigner.address, 5, isUserOp), selected, '0x', []),
    ),
  )
  // The other account has no signer with that id.
  expect(await validate(chain, other, operation)).toBe(1n)
  const zero = concat(['0xff00', `0x${'00'.repeat(65)}`])
  expect(await validate(chain, other, { ...operation, signature: zero })).toBe(1n)
})

test('cannot be told apart from the owner by its entity id alone', async () => {
  const operation = await createOperation(chain, it, execute(nobody), { signer: session.key, entityId: 0 })
  expect(await validate(chain, it, operation)).toBe(1n)
  const asKey = await createOperation(chain, it, execute(nobody), { entityId: 5, options: 0 })
  expect(await validate(chain, it, asKey)).toBe(1n)
})

test('has no power once another key has its entity id', async () => {
  const mine = await createModularAccountV2(chain, 0)
  const first = await createSessionKeyV2(chain, mine, [])
  const entity = toEntity(singleSigner.address, 5)
  await handle(chain, await createOperation(chain, mine, call('uninstallValidation', entity, '0x', [])))
  const second = await createSessionKeyV2(chain, mine, [])
  expect(await validate(chain, mine, await first.sign(execute(nobody)))).toBe(1n)
  expect(await validate(chain, mine, await second.sign(execute(nobody)))).toBe(0n)
})

test('has no power in the bundle that takes it away', async () => {
  const mine = await createSemiModularAccount(chain)
  const limit = concat([toConfig(modules.NativeTokenLimitModule, 7, preHook), encode('uint32,uint256', 7, 10n)])
  const key = await createSessionKeyV2(chain, mine, [limit])
  const remove = call('uninstallValidation', toEntity(singleSigner.address, 5), '0x', [])
  const first = await createOperation(chain, mine, remove)
  // The operation was validated together with the first one, but its limit is used up when it runs.
  const greedy = await key.signInContext(execute(nobody, 1000n))
  const [removed, refused] = await handle(chain, first, greedy)
  expect(removed).toMatchObject({ success: true })
  expect(refused?.success).toBe(false)
  expect(refused?.reason).toMatch(/^0x566f60e2/)
})

test('cannot sign as an owner that is the account itself', async () => {
  const mine = await createSemiModularAccount(chain)
  const key = await createSessionKeyV2(chain, mine, [], { flags: isUserOp | isSignature })
  await handle(chain, await createOperation(chain, mine, call('updateFallbackSignerData', mine.address, false)))
  const operation = await createOperation(chain, mine, execute(nobody), { signature: '0xff' })
  const digest = hashMessage({ raw: hashOperation(chain, operation) })
  for (const hash of [digest, await wrap(mine, digest)]) {
    const inner = concat([toLocator(5), '0xff00', await key.key.sign({ hash })])
    expect(await validate(chain, mine, { ...operation, signature: concat(['0xff01', inner]) })).toBe(1n)
  }
})

const wrap = ({ address, read }: ModularV2TestAccount, hash: Hex) =>
  read.readContract({ ...singleSigner, functionName: 'replaySafeHash', args: [address, hash] }) as Promise<Hex>

type Frame = { to?: Address; calls?: Frame[] }
const flatten = (frame: Frame): Frame[] => [frame, ...(frame.calls ?? []).flatMap(flatten)]

test('cannot hide a call to the account in the encoding of a batch', async () => {
  const seize = call('updateFallbackSignerData', session.key.address, false)
  const calls = [it.address, nobody].map((target) => ({ target, value: 0n, data: seize }))
  const words = chunk(call('executeBatch', calls).slice(10))
  const place = fc.nat(words.length - 1)
  // Offsets, lengths, addresses and numbers that overflow.
  const value = fc.oneof(
    fc.nat(40).map((index) => toHex(index * 32, { size: 32 })),
    fc.nat(700).map((offset) => toHex(offset, { size: 32 })),
    fc.nat(700).map((offset) => toHex(2n ** 256n - 1n - BigInt(offset), { size: 32 })),
    fc.constantFrom(...[it.address, nobody].map((address) => toHex(BigInt(address), { size: 32 }))),
  )
  let accepted = 0
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(place, value), { minLength: 1, maxLength: 4 }), async (changes) => {
      const changed = [...words]
      for (const [index, word] of changes) changed[index] = word
      const data = concat(['0x34fcd5be', ...changed])
      const isAccepted = await validate(chain, it, await session.sign(data)).then(
        (answer) => answer === 0n,
        () => false,
      )
      if (!isAccepted) return
      accepted++
      const traced = { from: entryPoint, to: it.address, data }
      const frame = await chain.request<Frame>('debug_traceCall', [traced, 'latest', { tracer: 'callTracer' }])
      // Skips the calls to the proxy and to its implementation.
      const inner = flatten(frame).slice(2)
      expect(inner.filter(({ to }) => to === it.address.toLowerCase())).toEqual([])
    }),
    { numRuns: 300 },
  )
  expect(accepted).toBeGreaterThan(5)
})

const chunk = (hex: string): Hex[] => (hex.match(/.{64}/g) ?? []).map((word): Hex => `0x${word}`)
