import type { TestChain } from '@latchkey/testkit/chain'
import {
  createModularAccount,
  type Manifest,
  type ModularTestAccount,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import { alwaysDeny, associated, deployPlugin, encodeInstall, none } from '@latchkey/testkit/contracts/scriptedPlugins'
import { test } from '@latchkey/testkit/contracts/test'
import { encodeAbiParameters, encodeFunctionData, type Hex, keccak256, toHex } from 'viem'
import { expect } from 'vitest'

/** Our account counts denials in one byte. */

const mine = '0x11111111'

let chain: TestChain
let it: ModularTestAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createModularAccount(chain)
})

const refusal = (call: ReturnType<typeof encodeInstall>) =>
  readRevert(it.read.simulateContract({ ...call, account: it.owner.address }))
const send = (call: ReturnType<typeof encodeInstall>) =>
  it.by.transact({ to: it.address, data: encodeFunctionData(call), gas: 3_000_000n })

// Reaching this count would take 255 plugins, so the test writes the counter.
test('refuses a denial hook that the counter of one byte cannot count', async () => {
  const cases: [Partial<Manifest>, bigint, string][] = [
    [{ preUserOpValidationHooks: [associated(mine, alwaysDeny)] }, 4n, 'DuplicatePreUserOpValidationHook'],
    [{ preRuntimeValidationHooks: [associated(mine, alwaysDeny)] }, 5n, 'DuplicatePreRuntimeValidationHook'],
    [
      { executionHooks: [{ executionSelector: mine, preExecHook: alwaysDeny, postExecHook: none }] },
      6n,
      'DuplicateHook',
    ],
  ]
  for (const [manifest, field, name] of cases) {
    const [first, second] = [await deployPlugin(chain, manifest), await deployPlugin(chain, manifest)]
    await send(encodeInstall(it, first))
    const slot = firstHookOf(mine, field)
    const entry = BigInt((await it.read.getStorageAt({ address: it.address, slot })) ?? 0)
    expect(entry & 0xffn).toBe(1n)
    await chain.request('anvil_setStorageAt', [it.address, slot, toHex(entry | 0xffn, { size: 32 })])
    const refused = { name: `${name}LimitExceeded`, args: [mine, toHex(2, { size: 21 })] }
    expect(await refusal(encodeInstall(it, second))).toEqual(refused)
  }
})

/** Returns the slot of the first hook in the list of a field. */
function firstHookOf(selector: Hex, field: bigint): Hex {
  const state = BigInt('0x3de4535a120bc516d74a9a518280fce616aef50765368f98c97771e8bacd2c00')
  const words = [{ type: 'bytes4' }, { type: 'uint256' }] as const
  return keccak256(keccak256(encodeAbiParameters(words, [selector, state + field])))
}
