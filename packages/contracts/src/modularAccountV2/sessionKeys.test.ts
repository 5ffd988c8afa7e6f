import type { TestChain } from '@latchkey/testkit/chain'
import {
  call,
  createModularAccountV2,
  createOperation,
  createSemiModularAccount,
  execute,
  handle,
  inContext,
  isUserOp,
  type ModularV2TestAccount,
  modules,
  runtimeCall,
  singleSigner,
  toConfig,
  toEntity,
  validate,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { modularAccountV2Abi, semiModularStorageOnlyAbi } from '@latchkey/testkit/contracts/modularAccountV2Abis'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { createSessionKeyV2, type SessionKeyV2 } from '@latchkey/testkit/contracts/sessionKeysV2'
import { test } from '@latchkey/testkit/contracts/test'
import { type AbiFunction, concat, type Hex, toFunctionSelector, toFunctionSignature } from 'viem'
import { expect } from 'vitest'

/** What a key with selected functions tries to get beyond them. */

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
  // Whatever stands behind it.
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
  // The entry point and the modules take the account for their caller, never the key’s call for the account’s.
  const seize = call('updateFallbackSignerData', session.key.address, false)
  for (const target of [modules.SingleSignerValidationModule, modules.AllowlistModule, nobody]) {
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
  // The other account has no signer under that id.
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
