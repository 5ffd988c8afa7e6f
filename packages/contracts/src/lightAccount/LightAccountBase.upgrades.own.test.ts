import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  deployImplementation,
  type LightAccountVersion,
  lightAccountV1_1_0,
  lightAccountV2,
  lightAccountVersions,
  multiOwnerLightAccountV2,
  ownersOf,
  readImplementation,
  singleOwnerVersions,
  type TestAccount,
  validate,
} from '@latchkey/testkit/contracts/lightAccounts'
import { expectAtHome, expectClosed, upgrade, upgradeCall } from '@latchkey/testkit/contracts/lightAccountUpgrades'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { type Address, encodeFunctionData, keccak256, toHex, zeroAddress } from 'viem'
import { expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

/** Other code stores its owners elsewhere, so only upgrades to our code are tested. */

const { demo } = devAddresses
const each = test.each(lightAccountVersions)
const hash = keccak256(toHex('operation'))

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

async function expectNobodys(it: TestAccount): Promise<void> {
  await expectClosed(it)
  expect((await ownersOf(it)).filter((owner) => owner !== zeroAddress)).toEqual([])
  const signed = it.version.byKey(await it.owner.signMessage({ message: { raw: hash } }))
  expect(await validate(it, signed, hash)).toBe(1n)
}

const pair = (from: LightAccountVersion, to: LightAccountVersion) => ({ from, to, name: `${from.name} to ${to.name}` })
const strangePairs = [
  pair(lightAccountV1_1_0, multiOwnerLightAccountV2),
  pair(lightAccountV2, multiOwnerLightAccountV2),
  pair(multiOwnerLightAccountV2, lightAccountV2),
]

// The public code of one family refuses accounts of another.
test.each(strangePairs)('initializes another family in the upgrade to it ($name)', async ({ from, to }) => {
  const it = await createLightAccount(chain, from)
  const initialize = (version: LightAccountVersion, owner: Address) =>
    encodeFunctionData({ abi: version.abi, functionName: 'initialize', args: [version.owned(owner)] })
  const there = await upgrade(it, to, initialize(to, it.owner.address))
  await expectAtHome(there)
  await expectClosed(there)
  // A former owner gains nothing from an upgrade back to another owner.
  const back = await upgrade(there, from, initialize(from, it.stranger.address))
  await expectAtHome({ ...back, owner: it.stranger })
  await expectClosed(back)
})

// In the public code, an earlier owner may control the account again.
test.each(strangePairs)('gives a former owner no way back after a sale ($name)', async ({ from, to }) => {
  const it = await createLightAccount(chain, from)
  const { stranger } = it
  const handOver = { abi: to.abi, functionName: 'initialize', args: [to.owned(stranger.address)] }
  const sold = await upgrade(it, to, encodeFunctionData(handOver))
  expect(await ownersOf(sold)).toEqual([stranger.address])
  await expectNobodys(await upgrade({ ...sold, by: chain.connect(stranger.privateKey) }, from))
})

// The public code does not detect missing initialization.
test.each(strangePairs)('belongs to nobody after an upgrade without initialization ($name)', async ({ from, to }) => {
  const it = await upgrade(await createLightAccount(chain, from), to)
  await expectNobodys(it)
})

// Other code stores its owner elsewhere, so the account upgrades to a copy.
each('upgrades to a copy of its code and back ($name)', async (version) => {
  const it = await createLightAccount(chain, version)
  const copy = await deployImplementation(chain, version)
  await it.by.transact({ to: it.address, data: upgradeCall(version, copy) })
  expect(await readImplementation(it)).toBe(BigInt(copy))
  expect(await ownersOf(it)).toEqual([it.owner.address])
  const again = encodeFunctionData({ abi: version.abi, functionName: 'initialize', args: [version.owned(demo)] })
  const call = { ...it.account, functionName: 'upgradeToAndCall', args: [copy, again], account: it.owner.address }
  expect((await readRevert(it.read.simulateContract(call))).name).toBe('InvalidInitialization')
  await it.by.transact({ to: it.address, data: upgradeCall(version, version.implementation) })
  expect(await readImplementation(it)).toBe(BigInt(version.implementation))
  expect(await ownersOf(it)).toEqual([it.owner.address])
})

// Only our code has these messages.
test.each(singleOwnerVersions.filter(({ entryPointVersion }) => entryPointVersion === '0.6'))(
  'names the reason for refusing code that would lose the account ($name)',
  async (version) => {
    const { abi } = version
    const { address, owner, read } = await createLightAccount(chain, version)
    const liar = (await chain.freshAccount()).address
    await chain.request('anvil_setCode', [liar, '0x600160005260206000f3'])
    const [none, other, slot] = [
      'Upgradeable: no code at the new implementation',
      'Upgradeable: not upgradeable code',
      'Upgradeable: other slot',
    ]
    const names = { [owner.address]: none, [demo]: other, [address]: other, [liar]: slot, [zeroAddress]: none }
    for (const [to, reason] of Object.entries(names)) {
      for (const functionName of ['upgradeTo', 'upgradeToAndCall']) {
        const args = functionName === 'upgradeTo' ? [to] : [to, '0x']
        const call = { address, abi, functionName, args, account: owner.address }
        expect((await readRevert(read.simulateContract(call))).name, `${functionName} ${to}`).toBe(reason)
      }
    }
    const uuid = read.readContract({ address, abi, functionName: 'proxiableUUID' })
    expect((await readRevert(uuid)).name).toBe('Upgradeable: not through a proxy')
  },
)
