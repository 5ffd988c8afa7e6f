import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { sessionKeyPluginAbi as abi } from '@latchkey/testkit/contracts/modularAccountAbis'
import { errors, hashOperation, packed, sessionKeyPlugin } from '@latchkey/testkit/contracts/modularAccounts'
import { readRevert } from '@latchkey/testkit/contracts/readRevert'
import {
  allowAll,
  createSessionAccount,
  type SessionAccount,
  sessionOperation,
  update,
} from '@latchkey/testkit/contracts/sessionKeys'
import { type Address, concat, encodeAbiParameters, type Hex, toHex, zeroAddress, zeroHash } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

const plugin = sessionKeyPlugin.address
const target = '0x000000000000000000000000000000000000a001'
const call = { target, value: 0n, data: '0x' } as const
const first = toHex(1, { size: 32 })

let chain: TestChain
let it: SessionAccount
beforeAll(async () => {
  chain = await startTestChain()
  it = await createSessionAccount(chain, [allowAll])
})
afterAll(() => chain.close())

const read = (functionName: string, args: readonly unknown[] = []) =>
  it.read.readContract({ ...sessionKeyPlugin, functionName, args })
/** Straight to the plugin, as the account. */
const refusal = (functionName: string, args: readonly unknown[], account: Address) =>
  readRevert(it.read.simulateContract({ address: plugin, abi: [...abi, ...errors], functionName, args, account }))
const notFound = (key: Address) => ({ name: 'SessionKeyNotFound', args: [key] })
const notPermitted = { name: 'PermissionsCheckFailed', args: [] }

test('error: keys that are none, are there already, or are looked for in the wrong place', async () => {
  const { address, key } = it
  const other = it.stranger.address
  for (const bad of [zeroAddress, toHex(1, { size: 20 }), key.address])
    expect(await refusal('addSessionKey', [bad, zeroHash, []], address)).toEqual({
      name: 'InvalidSessionKey',
      args: [bad],
    })
  expect(await refusal('rotateSessionKey', [key.address, first, zeroAddress], address)).toEqual({
    name: 'InvalidSessionKey',
    args: [zeroAddress],
  })
  for (const wrong of [
    zeroHash,
    concat([other, toHex(0, { size: 12 })]),
    concat([key.address, toHex(0, { size: 12 })]),
  ]) {
    expect(await refusal('removeSessionKey', [key.address, wrong], address)).toEqual(notFound(key.address))
    expect(await refusal('rotateSessionKey', [key.address, wrong, other], address)).toEqual(notFound(key.address))
  }
  expect(await refusal('removeSessionKey', [other, first], address)).toEqual(notFound(other))
  expect(await refusal('updateKeyPermissions', [other, []], address)).toEqual({
    name: 'InvalidSessionKey',
    args: [other],
  })
  expect(await refusal('resetSessionKeyGasLimitTimestamp', [address, other], other)).toEqual(notFound(other))
  for (const functionName of [
    'findPredecessor',
    'getRequiredPaymaster',
    'getGasSpendLimit',
    'getNativeTokenSpendLimitInfo',
    'getKeyTimeRange',
  ])
    expect(await readRevert(read(functionName, [address, other]))).toEqual(notFound(other))
})

test('error: updates that are none', async () => {
  const updating = (updates: readonly Hex[]) => refusal('updateKeyPermissions', [it.key.address, updates], it.address)
  const invalid = (selector: Hex) => ({ name: 'InvalidPermissionsUpdate', args: [selector] })
  for (const unknown of ['0x', '0x12', '0xdeadbeef', '0xdeadbeef00'] as const)
    expect(await updating([allowAll, unknown])).toEqual(invalid(`0x${unknown.slice(2, 10).padEnd(8, '0')}`))
  const accessType = encodeAbiParameters([{ type: 'uint8' }], [3])
  expect(await updating([concat([allowAll.slice(0, 10) as Hex, accessType])])).toEqual(
    invalid(allowAll.slice(0, 10) as Hex),
  )
  expect(await updating([update('setERC20SpendLimit', zeroAddress, 1n, 0)])).toEqual({
    name: 'InvalidToken',
    args: [zeroAddress],
  })
  // Cut off behind the selector: nothing is guessed.
  expect((await updating([allowAll.slice(0, 10) as Hex])).name).toBe('execution reverted')
})

test('error: the call data of another function are not judged, whatever they look like', async () => {
  const { callData, ...rest } = await sessionOperation(chain, it, [call])
  for (const other of ['0x', '0x31d99c', concat(['0x31d99c2d', `0x${callData.slice(10)}`])] as const) {
    const operation = { ...rest, callData: other }
    const args = [0, packed(operation), hashOperation(chain, operation)]
    expect(await refusal('userOpValidationFunction', args, it.address)).toEqual(notPermitted)
  }
  const cut = { ...rest, callData: callData.slice(0, 10) as Hex }
  const args = [0, packed(cut), hashOperation(chain, cut)]
  expect((await refusal('userOpValidationFunction', args, it.address)).name).toBe('execution reverted')
})
