import { type Address, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  createLightAccount,
  deployImplementation,
  implementationSlot,
  lightAccountV2,
} from '../../../../../test/contracts/lightAccounts.ts'
import { lightAccountV2Abi as abi } from '../../../../../test/contracts/lightAccountV2Abi.ts'
import { revertOf } from '../../../../../test/contracts/revertOf.ts'
import { startTestChain, type TestChain } from '../../../../../test/contracts/testChain.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { demo } = devAddresses
const { implementation } = lightAccountV2

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

test('error: upgrades that would lose the account, or the code of every account', async () => {
  const { address, owner, read } = await createLightAccount(chain, lightAccountV2)
  const copy = await deployImplementation(chain, lightAccountV2)
  const upgrade = (target: Address, to: Address) => {
    const args = [to, '0x'] as const
    const account = owner.address
    return revertOf(read.simulateContract({ address: target, abi, functionName: 'upgradeToAndCall', args, account }))
  }
  // No code, other code, a proxy, a contract that answers another slot, a key's zeros.
  const liar = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [liar, '0x600160005260206000f3'])
  for (const target of [owner.address, demo, address, liar, zeroAddress])
    expect((await upgrade(address, target)).name).toBe('UpgradeFailed')
  expect((await upgrade(implementation, copy)).name).toBe('UnauthorizedCallContext')
  const direct = read.readContract({ address, abi, functionName: 'proxiableUUID' })
  expect((await revertOf(direct)).name).toBe('UnauthorizedCallContext')
  expect(await read.readContract({ address: implementation, abi, functionName: 'proxiableUUID' })).toBe(
    implementationSlot,
  )
})

test('error: a deposit withdrawn to nobody', async () => {
  const { address, owner, read } = await createLightAccount(chain, lightAccountV2)
  const nowhere = read.simulateContract({
    address,
    abi,
    functionName: 'withdrawDepositTo',
    args: [zeroAddress, 1n],
    account: owner.address,
  })
  expect((await revertOf(nowhere)).name).toBe('ZeroAddressNotAllowed')
})
