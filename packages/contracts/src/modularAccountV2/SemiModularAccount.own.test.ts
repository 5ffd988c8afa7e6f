import type { TestChain } from '@latchkey/testkit/chain'
import {
  createLightAccount,
  lightAccountV1_1_0,
  lightAccountV2,
  ownersOf,
} from '@latchkey/testkit/contracts/lightAccounts'
import { upgradeCall } from '@latchkey/testkit/contracts/lightAccountUpgrades'
import {
  call,
  createModularAccountV2,
  createOperation,
  createSemiModularAccount,
  execute,
  handle,
  installSigner,
  isGlobal,
  isUserOp,
  type ModularV2TestAccount,
  modularAccountV2,
  runtimeCall,
  singleSigner,
  toEntity,
  validate,
} from '@latchkey/testkit/contracts/modularAccountsV2'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { test } from '@latchkey/testkit/contracts/test'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { expect } from 'vitest'

/** These rules are specific to our account. */

const nobody = '0x000000000000000000000000000000000000dEaD'

let chain: TestChain
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
})

const run = async (it: ModularV2TestAccount, data: Hex) => handle(chain, await createOperation(chain, it, data))
const upgradeTo = (implementation: Address, data: Hex = '0x') => call('upgradeToAndCall', implementation, data)
const initialize = (owner: Address) => call('initialize', owner)

// The public account accepts any owner at the end of the proxy's code.
test('cannot be made of a proxy without an owner in its code', async () => {
  const from = await createModularAccountV2(chain)
  const request = { ...from.account, functionName: 'upgradeToAndCall', account: from.address }
  const args = [modularAccountV2.semiModularBytecode, '0x']
  expect(await readRevert(from.read.simulateContract({ ...request, args }))).toEqual({
    name: 'UpgradeFailed',
    args: [],
  })
})

// In this state, the public account lets anyone initialize it.
test.each([
  { name: 'an upgrade from the bytecode account', create: () => createSemiModularAccount(chain) },
  { name: 'an upgrade from LightAccount v1.1.0', create: () => createLightAccount(chain, lightAccountV1_1_0) },
])('lets nobody initialize the account after $name', async ({ create }) => {
  const from = await create()
  const data = upgradeTo(modularAccountV2.semiModularStorageOnly)
  await from.by.transact({ to: from.address, data: 'entityId' in from ? runtimeCall(data) : data })
  for (const account of [from.owner.address, from.stranger.address, from.address]) {
    const request = { account, to: from.address, data: initialize(from.stranger.address) }
    await expect(from.read.call(request)).rejects.toThrow('0xf92ee8a9')
  }
})

// In this state, the public account finds its keys again.
test('leaves nothing behind when it becomes a light account', async () => {
  const it = await createSemiModularAccount(chain)
  await run(it, upgradeTo(modularAccountV2.semiModularStorageOnly, initialize(it.owner.address)))
  await run(it, installSigner(it.stranger.address, 3, { flags: isUserOp | isGlobal, selectors: [] }))
  const { implementation, abi } = lightAccountV2
  const light = encodeFunctionData({ abi, functionName: 'initialize', args: [it.owner.address] })
  await run(it, upgradeTo(implementation, light))
  expect(await ownersOf({ ...it, version: lightAccountV2, account: { address: it.address, abi } })).toEqual([
    it.owner.address,
  ])
  const back = upgradeCall(lightAccountV2, modularAccountV2.semiModularStorageOnly, initialize(it.owner.address))
  await it.by.transact({ to: it.address, data: back })
  expect(await run(it, execute(nobody))).toMatchObject([{ success: true }])
  const stale = await createOperation(chain, { ...it, owner: it.stranger, entityId: 3 }, execute(nobody))
  expect((await readRevert(validate(chain, it, stale))).name).toBe('ValidationFunctionMissing')
  const installed = { ...it.account, functionName: 'getValidationData', args: [toEntity(singleSigner.address, 3)] }
  expect(await it.read.readContract(installed)).toMatchObject({ validationFlags: 0 })
})
