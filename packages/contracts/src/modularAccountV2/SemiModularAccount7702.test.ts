import type { TestChain } from '@latchkey/testkit/chain'
import {
  call,
  createOperation,
  execute,
  handle,
  installSigner,
  isUserOp,
  isValid,
  modularAccountV2,
  signDigest,
  view,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { type Address, concat, type Hex, keccak256, parseSignature, signatureToCompactSignature, toHex } from 'viem'
import { expect } from 'vitest'

/** The semi-modular account at the address of a key that delegates to it (EIP-7702). */

const { semiModular7702: v1_0, semiModular7702V1_1: v1_1 } = modularAccountV2
const versions = [
  { version: '1.0.0', implementation: v1_0 },
  { version: '1.1.0', implementation: v1_1 },
] as const
const each = test.each(versions)
const nobody = '0x000000000000000000000000000000000000dEaD'
const accepted = '0x1626ba7e'
const refused = '0xffffffff'
const hash = keccak256(toHex('anything'))

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

async function delegate(implementation: Address) {
  const owner = await chain.freshAccount()
  const it = await view(chain, owner.address, owner)
  const redelegate = async (contractAddress: Address) => {
    const nonce = (await it.read.getTransactionCount({ address: owner.address })) + 1
    const authorization = await owner.signAuthorization({ contractAddress, chainId: chain.chainId, nonce })
    await it.by.transact({ to: nobody, authorizationList: [authorization] })
  }
  await redelegate(implementation)
  return { ...it, redelegate }
}

const toCompact = (signature: Hex): Hex => {
  const { r, yParityAndS } = signatureToCompactSignature(parseSignature(signature))
  return concat([r, yParityAndS])
}

each(
  'obeys its key, names itself and belongs to nobody else, version $version',
  async ({ version, implementation }) => {
    const it = await delegate(implementation)
    expect(await it.read.getCode({ address: it.address })).toBe(`0xef0100${implementation.slice(2).toLowerCase()}`)
    expect(await it.read.readContract({ ...it.account, functionName: 'accountId' })).toBe(`alchemy.sma-7702.${version}`)
    const signer = await it.read.readContract({ ...it.account, functionName: 'getFallbackSignerData' })
    expect(signer).toEqual([it.address, false])
    const before = await it.read.getBalance({ address: nobody })
    expect(await handle(chain, await createOperation(chain, it, execute(nobody, 5n)))).toMatchObject([
      { success: true },
    ])
    expect(await it.read.getBalance({ address: nobody })).toBe(before + 5n)
    const foreign = createOperation(chain, it, execute(nobody), { signer: it.stranger })
    await expect(foreign.then((operation) => handle(chain, operation))).rejects.toThrow('AA24')
  },
)

each(
  'lets a key with its own validation act and a new fallback signer replace the key, version $version',
  async (row) => {
    const it = await delegate(row.implementation)
    const install = installSigner(it.stranger.address, 7, { flags: isUserOp })
    expect(await handle(chain, await createOperation(chain, it, install))).toMatchObject([{ success: true }])
    const byKey = { signer: it.stranger, entityId: 7, options: 0 }
    const operation = await createOperation(chain, it, execute(nobody), byKey)
    expect(await handle(chain, operation)).toMatchObject([{ success: true }])
    const replace = call('updateFallbackSignerData', it.stranger.address, false)
    expect(await handle(chain, await createOperation(chain, it, replace))).toMatchObject([{ success: true }])
    const late = createOperation(chain, it, execute(nobody))
    await expect(late.then((operation) => handle(chain, operation))).rejects.toThrow('AA24')
  },
)

each('refuses upgrades and to be the code of a proxy, version $version', async ({ implementation }) => {
  const it = await delegate(implementation)
  for (const request of [
    { functionName: 'upgradeToAndCall', args: [modularAccountV2.semiModularStorageOnly, '0x'], account: it.address },
    { functionName: 'proxiableUUID', args: [], account: it.stranger.address },
  ])
    expect(await readRevert(it.read.simulateContract({ ...it.account, ...request }))).toEqual({
      name: 'UnauthorizedCallContext',
      args: [],
    })
})

each('accepts the wrapped signature of its key alone, version $version', async ({ implementation }) => {
  const it = await delegate(implementation)
  expect(await isValid(it, hash, await signDigest(chain, it, it.owner, hash))).toBe(accepted)
  expect(await isValid(it, hash, await signDigest(chain, it, it.stranger, hash))).toBe(refused)
})

test('accepts bare signatures from version 1.1.0 on, also those made before', async () => {
  const it = await delegate(v1_0)
  const signature = await it.owner.sign({ hash })
  for (const bare of [signature, toCompact(signature)]) await expect(isValid(it, hash, bare)).rejects.toThrow()
  await it.redelegate(v1_1)
  for (const bare of [signature, toCompact(signature)]) expect(await isValid(it, hash, bare)).toBe(accepted)
  const foreign = await it.stranger.sign({ hash })
  for (const bare of [foreign, toCompact(foreign), `0x${'00'.repeat(65)}` as const, `0x${'ff'.repeat(64)}` as const])
    expect(await isValid(it, hash, bare)).toBe(refused)
})

test('accepts no bare signature once the key is not the fallback signer', async () => {
  for (const change of [
    (stranger: Address) => call('updateFallbackSignerData', stranger, false),
    () => call('updateFallbackSignerData', nobody, true),
  ]) {
    const it = await delegate(v1_1)
    await handle(chain, await createOperation(chain, it, change(it.stranger.address)))
    await expect(isValid(it, hash, await it.owner.sign({ hash }))).rejects.toThrow()
  }
})
