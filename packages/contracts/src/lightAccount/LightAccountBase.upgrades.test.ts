import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  isValid,
  type LightAccountVersion,
  lightAccountV1_1_0,
  ownersOf,
  readImplementation,
  signDigest,
  singleOwnerVersions,
  type TestAccount,
  validate,
} from '@latchkey/testkit/contracts/lightAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { type Address, encodeFunctionData, type Hex, hashMessage, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

const hash = keccak256(toHex('operation'))

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

/** The account as the code of another version sees it. */
const as = (it: TestAccount, version: LightAccountVersion): TestAccount => ({
  ...it,
  version,
  account: { address: it.address, abi: version.abi },
})

const upgradeCall = ({ abi }: LightAccountVersion, to: Address, data: Hex = '0x') =>
  encodeFunctionData({ abi, functionName: 'upgradeToAndCall', args: [to, data] })

/** Sends it as the owner and returns the account as it is afterwards. */
async function upgrade(it: TestAccount, to: LightAccountVersion, data?: Hex): Promise<TestAccount> {
  await it.by.transact({ to: it.address, data: upgradeCall(it.version, to.implementation, data) })
  return as(it, to)
}

/** Owner, balance and signatures are the account's own after it took other code. */
async function expectAtHome(it: TestAccount): Promise<void> {
  const { version } = it
  expect(await readImplementation(it)).toBe(BigInt(version.implementation))
  expect(await ownersOf(it)).toEqual([it.owner.address])
  const signed = version.byKey(await it.owner.signMessage({ message: { raw: hash } }))
  expect(await validate(it, signed, hash)).toBe(0n)
  if (version.refusesMessages) return
  const digest = hashMessage('hello')
  expect(await isValid(it, digest, await signDigest(it, it.owner, digest))).toBe('0x1626ba7e')
}

async function expectClosed(it: TestAccount): Promise<void> {
  const { owned, entryPoint } = it.version
  for (const caller of [it.stranger.address, it.owner.address, entryPoint, it.address]) {
    const call = { ...it.account, functionName: 'initialize', args: [owned(it.stranger.address)], account: caller }
    expect((await readRevert(it.read.simulateContract(call))).name).toBe('InvalidInitialization')
  }
}

const pair = (from: LightAccountVersion, to: LightAccountVersion) => ({ from, to, name: `${from.name} to ${to.name}` })
const pairs = singleOwnerVersions.flatMap((from) =>
  singleOwnerVersions.filter((to) => to !== from).map((to) => pair(from, to)),
)

test.each(pairs)('behavior: the owner stays the owner from $name', async ({ from, to }) => {
  const it = await upgrade(await createLightAccount(chain, from), to)
  await expectAtHome(it)
  await expectClosed(it)
})

test('behavior: through all versions, and by way of execute', async () => {
  let it = await createLightAccount(chain, singleOwnerVersions[0] ?? lightAccountV1_1_0)
  for (const version of singleOwnerVersions.slice(1)) {
    const args = [it.address, 0n, upgradeCall(it.version, version.implementation)]
    const data = encodeFunctionData({ abi: it.version.abi, functionName: 'execute', args })
    await it.by.transact({ to: it.address, data })
    it = as(it, version)
    await expectAtHome(it)
  }
})
