import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  implementationSlot,
  type LightAccountVersion,
  lightAccountV1_1_0,
  lightAccountVersions,
  ownersOf,
  singleOwnerVersions,
} from '@latchkey/testkit/contracts/lightAccounts'
import { as, expectAtHome, expectClosed, upgrade, upgradeCall } from '@latchkey/testkit/contracts/lightAccountUpgrades'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { encodeFunctionData, zeroAddress } from 'viem'
import { expect } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

const { demo } = devAddresses
const each = test.each(lightAccountVersions)

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const pair = (from: LightAccountVersion, to: LightAccountVersion) => ({ from, to, name: `${from.name} to ${to.name}` })
const pairs = singleOwnerVersions.flatMap((from) =>
  singleOwnerVersions.filter((to) => to !== from).map((to) => pair(from, to)),
)

test.each(pairs)('keeps the owner from $name', async ({ from, to }) => {
  const it = await upgrade(await createLightAccount(chain, from), to)
  await expectAtHome(it)
  await expectClosed(it)
})

test('upgrades through all versions by execute', async () => {
  let it = await createLightAccount(chain, singleOwnerVersions[0] ?? lightAccountV1_1_0)
  for (const version of singleOwnerVersions.slice(1)) {
    const args = [it.address, 0n, upgradeCall(it.version, version.implementation)]
    const data = encodeFunctionData({ abi: it.version.abi, functionName: 'execute', args })
    await it.by.transact({ to: it.address, data })
    it = as(it, version)
    await expectAtHome(it)
  }
})

each('calls during an upgrade ($name)', async (version) => {
  const { abi, implementation, owned } = version
  const it = await createLightAccount(chain, version)
  const { stranger } = it
  const single = { abi, functionName: 'transferOwnership', args: [stranger.address] }
  const multi = { abi, functionName: 'updateOwners', args: [[stranger.address], [it.owner.address]] }
  const change = encodeFunctionData(typeof owned(demo) === 'string' ? single : multi)
  const { blockNumber } = await it.by.transact({ to: it.address, data: upgradeCall(version, implementation, change) })
  expect(await ownersOf(it)).toEqual([stranger.address])
  const events = await it.read.getContractEvents({ ...it.account, eventName: 'Upgraded', fromBlock: blockNumber })
  expect(events.map(({ args }) => args)).toEqual([{ implementation }])
})

each('changes nothing when the call of an upgrade fails ($name)', async (version) => {
  const { abi, implementation, owned } = version
  const it = await createLightAccount(chain, version)
  const again = encodeFunctionData({ abi, functionName: 'initialize', args: [owned(demo)] })
  const args = [implementation, again]
  const call = { ...it.account, functionName: 'upgradeToAndCall', args, account: it.owner.address }
  expect((await readRevert(it.read.simulateContract(call))).name).toBe('InvalidInitialization')
})

each('refuses code that would lose the account ($name)', async (version) => {
  const { abi, implementation, entryPointVersion } = version
  const it = await createLightAccount(chain, version)
  const { address, owner, read } = it
  // Invalid targets: no code, other code, a proxy, another slot, and the zero address.
  const liar = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [liar, '0x600160005260206000f3'])
  const functions = entryPointVersion === '0.6' ? ['upgradeTo', 'upgradeToAndCall'] : ['upgradeToAndCall']
  for (const to of [owner.address, demo, address, liar, zeroAddress]) {
    for (const functionName of functions) {
      const args = functionName === 'upgradeTo' ? [to] : [to, '0x']
      const { name } = await readRevert(
        read.simulateContract({ address, abi, functionName, args, account: owner.address }),
      )
      // Version 1 has other errors for these refusals, but none for a missing permission.
      if (entryPointVersion === '0.6') expect(name, `${functionName} ${to}`).not.toBe('NotAuthorized')
      else expect(name, `${functionName} ${to}`).toBe('UpgradeFailed')
    }
  }
  const uuid = { abi, functionName: 'proxiableUUID' }
  // A proxy with this function could call itself without end (ERC-1822).
  await expect(read.readContract({ ...uuid, address })).rejects.toThrow()
  expect(await read.readContract({ ...uuid, address: implementation })).toBe(implementationSlot)
})
