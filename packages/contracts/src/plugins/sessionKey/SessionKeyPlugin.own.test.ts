import type { TestChain } from '@latchkey/testkit/chain'
import { sessionKeyPluginAbi as abi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  errors,
  hashOperation,
  multiOwnerPlugin,
  packed,
  sessionKeyPlugin,
} from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import {
  allowAll,
  createSessionAccount,
  type SessionAccount,
  sessionOperation,
} from '@latchkey/testkit/contracts/sessionKeys'
import { test } from '@latchkey/testkit/contracts/test'
import { type Address, concat, encodeAbiParameters, type Hex, toHex, zeroHash } from 'viem'
import { expect } from 'vitest'

const plugin = sessionKeyPlugin.address
const call = { target: '0x000000000000000000000000000000000000a001', value: 0n, data: '0x' } as const

let chain: TestChain
let it: SessionAccount
test.beforeAll(async ({ chain: shared }) => {
  chain = shared
  it = await createSessionAccount(chain, [allowAll])
})

const refusal = (functionName: string, args: readonly unknown[], account: Address) =>
  readRevert(it.read.simulateContract({ address: plugin, abi: [...abi, ...errors], functionName, args, account }))

// Our lists start at this address; the public ones start at a value that is not an address.
test('refuses the anchor of its lists as session key and as owner', async () => {
  const anchor = toHex(1, { size: 20 })
  const { address, read } = it
  expect(await refusal('addSessionKey', [anchor, zeroHash, []], address)).toEqual({
    name: 'InvalidSessionKey',
    args: [anchor],
  })
  const update = { ...multiOwnerPlugin, functionName: 'updateOwners', args: [[anchor], []], account: address }
  expect(await readRevert(read.simulateContract(update))).toEqual({ name: 'InvalidOwner', args: [anchor] })
})

// The public plugin refuses an unknown list type without a reason.
test('names the error of an unknown list type', async () => {
  const selector = allowAll.slice(0, 10) as Hex
  const updates = [concat([selector, encodeAbiParameters([{ type: 'uint8' }], [3])])]
  expect(await refusal('updateKeyPermissions', [it.key.address, updates], it.address)).toEqual({
    name: 'InvalidPermissionsUpdate',
    args: [selector],
  })
})

// The public plugin validates any call data behind the first four bytes.
test('refuses call data of another function', async () => {
  const { callData, ...rest } = await sessionOperation(chain, it, [call])
  for (const other of ['0x', '0x31d99c', concat(['0x31d99c2d', `0x${callData.slice(10)}`])] as const) {
    const operation = { ...rest, callData: other }
    const args = [0, packed(operation), hashOperation(chain, operation)]
    const refused = { name: 'PermissionsCheckFailed', args: [] }
    expect(await refusal('userOpValidationFunction', args, it.address)).toEqual(refused)
  }
  const cut = { ...rest, callData: callData.slice(0, 10) as Hex }
  const args = [0, packed(cut), hashOperation(chain, cut)]
  expect((await refusal('userOpValidationFunction', args, it.address)).name).toBe('execution reverted')
})
