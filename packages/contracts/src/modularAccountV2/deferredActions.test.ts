import type { TestChain } from '@latchkey/testkit/chain'
import {
  call,
  createModularAccountV2,
  createOperation,
  createSemiModularAccount,
  type DeferredAction,
  encodeDeferred,
  execute,
  handle,
  installSigner,
  isGlobal,
  isUserOp,
  isValid,
  type ModularV2TestAccount,
  readNonce,
  signDigest,
  singleSigner,
  toConfig,
  toDeferredTypedData,
  toEntity,
  toNonceKey,
  validate,
  validationHook,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { deployModule } from '@latchkey/testkit/contracts/scriptedModules'
import { test } from '@latchkey/testkit/contracts/test'
import { concat, encodeFunctionData, type Hex, hashTypedData, parseAbi, toHex } from 'viem'
import { entryPoint07Address } from 'viem/account-abstraction'
import { expect } from 'vitest'

const incrementNonceAbi = parseAbi(['function incrementNonce(uint192 key)'])
const nobody = '0x000000000000000000000000000000000000dEaD'

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const kinds = [
  { kind: 'semi-modular', create: () => createSemiModularAccount(chain) },
  { kind: 'modular', create: () => createModularAccountV2(chain) },
]
const each = test.each(kinds)

/** Returns an operation of key 5 that contains the key's own installation, approved by the owner. */
async function bring(
  it: ModularV2TestAccount,
  {
    callData = execute(nobody, 1n),
    install = installSigner(it.stranger.address, 5),
    ...action
  }: { callData?: Hex; install?: Hex } & Partial<DeferredAction> = {},
) {
  const key = toNonceKey(5, 2)
  const nonce = await readNonce(chain, it.address, key)
  const prefix = await encodeDeferred(chain, it, { nonce, call: install, ...action })
  return await createOperation(chain, it, callData, { signer: it.stranger, entityId: 5, options: 2, prefix })
}
const revertOf = async (...args: Parameters<typeof bring>) => readRevert(validate(chain, args[0], await bring(...args)))
const installed = (it: ModularV2TestAccount) =>
  it.read.readContract({ ...it.account, functionName: 'getValidationData', args: [toEntity(singleSigner.address, 5)] })

test('keeps the digest and the encoding of the makers’ vector', async () => {
  const account = '0x7A546bF84e0b86374B2A765F2c294548363D279a'
  const nonce = 0x1020000000000000000n
  const install = installSigner('0x1563915e194D8CfBA1943570603F7606A3115508', 1)
  const typed = toDeferredTypedData(11155111, account, { nonce, deadline: 1893456000, call: install })
  expect(hashTypedData(typed)).toBe('0x7b485980049e4b4f713e87953547f0a242c7fd0edf40294499d9044fabab5ce6')
})

each('installs a key with its first operation ($kind)', async ({ create }) => {
  const it = await create()
  const deadline = 4102444800
  const operation = await bring(it, { deadline })
  expect(await validate(chain, it, operation)).toBe(BigInt(deadline) << 160n)
  expect(await handle(chain, operation)).toMatchObject([{ success: true }])
  expect(await installed(it)).toMatchObject({ validationFlags: isUserOp })
  const next = await createOperation(chain, it, execute(nobody, 1n), { signer: it.stranger, entityId: 5, options: 0 })
  expect(await handle(chain, next)).toMatchObject([{ success: true }])
})

each('does a deferred action once ($kind)', async ({ create }) => {
  const it = await create()
  const first = await bring(it)
  await handle(chain, first)
  expect((await readRevert(handle(chain, first))).args[1]).toBe('AA23 reverted')
  // This operation could be repeated if the nonce did not prevent it.
  const paying = await bring(it, { install: execute(nobody, 3n) })
  expect(await handle(chain, paying)).toMatchObject([{ success: true }])
  expect((await readRevert(handle(chain, paying))).args[1]).toBe('AA25 invalid account nonce')
  // The approval is not valid for another nonce.
  const approval = concat([
    '0x00',
    await it.owner.signTypedData(
      toDeferredTypedData(chain.chainId, it.address, { nonce: paying.nonce, call: execute(nobody, 3n) }),
    ),
  ])
  const invalid = { name: 'DeferredActionSignatureInvalid', args: [] }
  expect(await revertOf(it, { install: execute(nobody, 3n), approval })).toEqual(invalid)
})

each('refuses an action whose nonce the account has used up at the entry point ($kind)', async ({ create }) => {
  const it = await create()
  const action = await bring(it)
  const data = encodeFunctionData({ abi: incrementNonceAbi, args: [toNonceKey(5, 2)] })
  const revocation = await createOperation(chain, it, execute(entryPoint07Address, 0n, data))
  expect(await handle(chain, revocation)).toMatchObject([{ success: true }])
  expect((await readRevert(handle(chain, action))).args[1]).toBe('AA25 invalid account nonce')
  expect(await installed(it)).toMatchObject({ validationFlags: 0 })
  // An action that the owner signs afterwards works.
  expect(await handle(chain, await bring(it))).toMatchObject([{ success: true }])
})

each('refuses an action that is late, of another account or another’s ($kind)', async ({ create }) => {
  const it = await create()
  const invalid = { name: 'DeferredActionSignatureInvalid', args: [] }
  expect((await readRevert(handle(chain, await bring(it, { deadline: 1 })))).args[1]).toMatch(/^AA22/)
  expect(await revertOf(it, { signer: it.stranger })).toEqual(invalid)
  const other = await create()
  const nonce = await readNonce(chain, it.address, toNonceKey(5, 2))
  const install = installSigner(it.stranger.address, 5)
  const action = toDeferredTypedData(chain.chainId, other.address, { nonce, call: install })
  const approval = concat(['0x00', await it.owner.signTypedData(action)])
  expect(await revertOf(it, { approval })).toEqual(invalid)
  const elsewhere = toDeferredTypedData(1, it.address, { nonce, call: install })
  expect(await revertOf(it, { approval: concat(['0x00', await it.owner.signTypedData(elsewhere)]) })).toEqual(invalid)
  const changed = toDeferredTypedData(chain.chainId, it.address, { nonce, call: install, deadline: 7 })
  expect(await revertOf(it, { approval: concat(['0x00', await it.owner.signTypedData(changed)]) })).toEqual(invalid)
})

each('takes no ERC-1271 signature for an approval, nor the reverse ($kind)', async ({ create }) => {
  const it = await create()
  const nonce = await readNonce(chain, it.address, toNonceKey(5, 2))
  const typed = toDeferredTypedData(chain.chainId, it.address, { nonce, call: installSigner(it.stranger.address, 5) })
  const who = { entityId: it.entityId, ...(it.entityId !== 0 && { module: singleSigner.address }) }
  const wrapped = await signDigest(chain, it, it.owner, hashTypedData(typed), who)
  const approval = `0x${wrapped.slice(14)}` as Hex
  expect((await revertOf(it, { approval })).name).toBe('DeferredActionSignatureInvalid')
  const bare = concat([toHex(it.entityId, { size: 5 }), '0xff00', await it.owner.signTypedData(typed)])
  expect(await isValid(it, hashTypedData(typed), bare)).toBe('0xffffffff')
})

test('lets a validation approve only what it may do itself', async () => {
  const it = await createSemiModularAccount(chain)
  const key = await chain.freshAccount()
  const run = async (data: Hex) => handle(chain, await createOperation(chain, it, data))
  await run(installSigner(key.address, 7))
  await run(installSigner(key.address, 8, { flags: 3 }))
  await run(installSigner(key.address, 9, { flags: 2, selectors: ['0x1bbf564c'] }))
  const missing = { name: 'ValidationFunctionMissing', args: ['0x1bbf564c'] }
  for (const entityId of [7, 8]) {
    for (const options of [0, 1]) expect(await revertOf(it, { signer: key, entityId, options })).toEqual(missing)
  }
  const unsigned = await revertOf(it, { signer: key, entityId: 7, options: 0, install: execute(nobody) })
  expect(unsigned.name).toBe('SignatureValidationInvalid')
  expect(await handle(chain, await bring(it, { signer: key, entityId: 9, options: 0 }))).toMatchObject([
    { success: true },
  ])
})

test('approves by no validation with hooks, which could not run', async () => {
  const it = await createSemiModularAccount(chain)
  const module = await deployModule(chain)
  const hooks = [module.hook(1, validationHook)]
  await handle(
    chain,
    await createOperation(chain, it, installSigner(it.owner.address, 7, { flags: 7, selectors: [], hooks })),
  )
  expect(await revertOf(it, { entityId: 7 })).toEqual({ name: 'DeferredValidationHasValidationHooks', args: [] })
})

test('passes on the revert of an action, and keeps to the rules of self-calls', async () => {
  const it = await createSemiModularAccount(chain)
  expect((await revertOf(it, { install: execute(it.address) })).name).toBe('SelfCallRecursionDepthExceeded')
  const foreign = call('installValidation', toConfig(nobody, 5, isUserOp | isGlobal), [], '0xaa', [])
  expect(await revertOf(it, { install: foreign })).toEqual({ name: 'InterfaceNotSupported', args: [nobody] })
})

test('reads no deferred action unless the nonce says so, and needs one then', async () => {
  const it = await createSemiModularAccount(chain)
  const nonce = await readNonce(chain, it.address, toNonceKey(5, 0))
  const prefix = await encodeDeferred(chain, it, { nonce, call: installSigner(it.stranger.address, 5) })
  const fields = { signer: it.stranger, entityId: 5, prefix }
  const unread = await createOperation(chain, it, execute(nobody), { ...fields, options: 0 })
  expect((await readRevert(validate(chain, it, unread))).name).toBe('ValidationFunctionMissing')
  const without = await createOperation(chain, it, execute(nobody), { options: 3 })
  await expect(validate(chain, it, without)).rejects.toThrow()
})
