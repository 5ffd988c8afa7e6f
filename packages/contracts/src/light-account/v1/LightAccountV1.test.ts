import type { Address } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createLightAccount,
  deployImplementation,
  implementationSlot,
  lightAccountV1,
} from '../../../../../test/contracts/lightAccounts.ts'
import { lightAccountV1Abi as abi } from '../../../../../test/contracts/lightAccountV1Abi.ts'
import { revertOf } from '../../../../../test/contracts/revertOf.ts'
import { startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { demo } = devAddresses
const { implementation } = lightAccountV1

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

test('error: upgrades that would lose the account, or the code of every account', async () => {
  const { address, owner, read } = await createLightAccount(chain, lightAccountV1)
  const copy = await deployImplementation(chain, lightAccountV1)
  const upgrade = (target: Address, to: Address) =>
    revertOf(
      read.simulateContract({ address: target, abi, functionName: 'upgradeTo', args: [to], account: owner.address }),
    )
  expect((await upgrade(address, owner.address)).name).toBe('Upgradeable: no code at the new implementation')
  expect((await upgrade(address, demo)).name).toBe('Upgradeable: not upgradeable code')
  expect((await upgrade(address, address)).name).toBe('Upgradeable: not upgradeable code')
  expect((await upgrade(implementation, copy)).name).toBe('Upgradeable: only through a proxy')
  const direct = read.readContract({ address, abi, functionName: 'proxiableUUID' })
  expect((await revertOf(direct)).name).toBe('Upgradeable: not through a proxy')
  expect(await read.readContract({ address: implementation, abi, functionName: 'proxiableUUID' })).toBe(
    implementationSlot,
  )
})

test('behavior: takes tokens of ERC-777', async () => {
  const { address, read } = await createLightAccount(chain, lightAccountV1)
  const args = [demo, demo, demo, 1n, '0x', '0x'] as const
  await read.readContract({ address, abi, functionName: 'tokensReceived', args })
})
