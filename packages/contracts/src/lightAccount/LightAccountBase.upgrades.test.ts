import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  type LightAccountVersion,
  lightAccountV1_1_0,
  singleOwnerVersions,
} from '@latchkey/testkit/contracts/lightAccounts'
import { as, expectAtHome, expectClosed, upgrade, upgradeCall } from '@latchkey/testkit/contracts/lightAccountUpgrades'
import { encodeFunctionData, keccak256, toHex } from 'viem'
import { afterAll, beforeAll, test } from 'vitest'

const _hash = keccak256(toHex('operation'))

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

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
