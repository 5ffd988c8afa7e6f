import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  deployImplementation,
  implementationSlot,
  type LightAccountVersion,
  lightAccountV1_1_0,
  lightAccountV2,
  lightAccountVersions,
  multiOwnerLightAccountV2,
  ownersOf,
  readImplementation,
  type TestAccount,
  validate,
} from '@latchkey/testkit/contracts/lightAccounts'
import { expectAtHome, expectClosed, upgrade, upgradeCall } from '@latchkey/testkit/contracts/lightAccountUpgrades'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { type Address, encodeFunctionData, keccak256, toHex, zeroAddress } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

const { demo } = devAddresses
const each = test.each(lightAccountVersions)
const hash = keccak256(toHex('operation'))

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain()
})
afterAll(() => chain.close())

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

test.each(strangePairs)(
  'behavior: another family is set up by the upgrade that brings it ($name)',
  async ({ from, to }) => {
    const it = await createLightAccount(chain, from)
    const initialize = (version: LightAccountVersion, owner: Address) =>
      encodeFunctionData({ abi: version.abi, functionName: 'initialize', args: [version.owned(owner)] })
    const there = await upgrade(it, to, initialize(to, it.owner.address))
    await expectAtHome(there)
    await expectClosed(there)
    // And back, to someone else: who owned it before does not own it again by that.
    const back = await upgrade(there, from, initialize(from, it.stranger.address))
    await expectAtHome({ ...back, owner: it.stranger })
    await expectClosed(back)
  },
)

test.each(strangePairs)(
  'error: who owned it before it left its family has no way back ($name)',
  async ({ from, to }) => {
    const it = await createLightAccount(chain, from)
    const { stranger } = it
    const handOver = { abi: to.abi, functionName: 'initialize', args: [to.owned(stranger.address)] }
    const sold = await upgrade(it, to, encodeFunctionData(handOver))
    expect(await ownersOf(sold)).toEqual([stranger.address])
    await expectNobodys(await upgrade({ ...sold, by: chain.connect(stranger.privateKey) }, from))
  },
)

test.each(strangePairs)(
  'error: another family that the upgrade does not set up is nobody’s ($name)',
  async ({ from, to }) => {
    const it = await upgrade(await createLightAccount(chain, from), to)
    await expectNobodys(it)
  },
)

each('behavior: an upgrade may call on the way ($name)', async (version) => {
  const { abi, implementation, owned } = version
  const it = await createLightAccount(chain, version)
  const copy = await deployImplementation(chain, version)
  await it.by.transact({ to: it.address, data: upgradeCall(version, copy) })
  expect(await readImplementation(it)).toBe(BigInt(copy))
  expect(await ownersOf(it)).toEqual([it.owner.address])

  const { stranger } = it
  const single = { abi, functionName: 'transferOwnership', args: [stranger.address] }
  const multi = { abi, functionName: 'updateOwners', args: [[stranger.address], [it.owner.address]] }
  const change = encodeFunctionData(typeof owned(demo) === 'string' ? single : multi)
  const { blockNumber } = await it.by.transact({ to: it.address, data: upgradeCall(version, implementation, change) })
  expect(await readImplementation(it)).toBe(BigInt(implementation))
  expect(await ownersOf(it)).toEqual([stranger.address])
  const events = await it.read.getContractEvents({ ...it.account, eventName: 'Upgraded', fromBlock: blockNumber })
  expect(events.map(({ args }) => args)).toEqual([{ implementation }])
})

each('error: an upgrade whose call fails changes nothing ($name)', async (version) => {
  const it = await createLightAccount(chain, version)
  const copy = await deployImplementation(chain, version)
  const again = encodeFunctionData({ abi: version.abi, functionName: 'initialize', args: [version.owned(demo)] })
  const call = { ...it.account, functionName: 'upgradeToAndCall', args: [copy, again], account: it.owner.address }
  expect((await readRevert(it.read.simulateContract(call))).name).toBe('InvalidInitialization')
})

each('error: code that would lose the account ($name)', async (version) => {
  const { abi, implementation, entryPointVersion } = version
  const it = await createLightAccount(chain, version)
  const { address, owner, read } = it
  // No code, other code, a proxy, a contract that returns another slot, nothing at all.
  const liar = (await chain.freshAccount()).address
  await chain.request('anvil_setCode', [liar, '0x600160005260206000f3'])
  const [none, other, slot] = [
    'Upgradeable: no code at the new implementation',
    'Upgradeable: not upgradeable code',
    'Upgradeable: other slot',
  ]
  const names = { [owner.address]: none, [demo]: other, [address]: other, [liar]: slot, [zeroAddress]: none }
  const functions = entryPointVersion === '0.6' ? ['upgradeTo', 'upgradeToAndCall'] : ['upgradeToAndCall']
  for (const [to, reason] of Object.entries(names)) {
    for (const functionName of functions) {
      const args = functionName === 'upgradeTo' ? [to] : [to, '0x']
      const call = { address, abi, functionName, args, account: owner.address }
      const { name } = await readRevert(read.simulateContract(call))
      expect(name, `${functionName} ${to}`).toBe(entryPointVersion === '0.6' ? reason : 'UpgradeFailed')
    }
  }
  // A proxy that supported this could become another's code and call itself without end (ERC-1822).
  const uuid = { abi, functionName: 'proxiableUUID' }
  const through = entryPointVersion === '0.6' ? 'Upgradeable: not through a proxy' : 'UnauthorizedCallContext'
  expect((await readRevert(read.readContract({ ...uuid, address }))).name).toBe(through)
  expect(await read.readContract({ ...uuid, address: implementation })).toBe(implementationSlot)
})
