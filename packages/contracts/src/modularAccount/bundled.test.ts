import { startTestChain, type TestChain } from '@latchkey/testkit/chain'
import { dummySignature } from '@latchkey/testkit/contracts/lightAccounts'
import { modularAccountAbi as abi, sessionKeyPluginAbi } from '@latchkey/testkit/contracts/modularAccountAbis'
import {
  createOperation,
  factory,
  hashOperation,
  modularAccount,
  multiOwnerPlugin,
  type Operation,
  type OperationFields,
  sessionKeyPlugin,
} from '@latchkey/testkit/contracts/modularAccounts'
import { encodeUninstall } from '@latchkey/testkit/contracts/scriptedPlugins'
import { executeData, installSessionKeys, update } from '@latchkey/testkit/contracts/sessionKeys'
import { waitForReceipt } from '@latchkey/testkit/contracts/userOperation'
import { type Address, concat, encodeFunctionData, type Hex, numberToHex, parseEther } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'
import { rpc } from '../../../dev/src/chain/rpc.ts'

/** A modular account's whole life, each step an operation through the bundler with the gas it estimated. */

type Key = Awaited<ReturnType<TestChain['freshAccount']>>
const target = '0x000000000000000000000000000000000000a001'

let chain: TestChain
beforeAll(async () => {
  chain = await startTestChain({ bundler: true })
})
afterAll(() => chain.close())

const bundler = <result>(method: string, ...params: readonly unknown[]) =>
  rpc<result>({ url: chain.bundlerUrl, method, params })
const hexOf = (operation: Operation) =>
  Object.fromEntries(
    Object.entries({ initCode: '0x', paymasterAndData: '0x', ...operation }).map(([key, value]) => [
      key,
      typeof value === 'bigint' ? numberToHex(value) : value,
    ]),
  )

/** Sends one operation and waits for it; whether its execution went well. */
async function send(sender: Address, signer: Key, callData: Hex, fields: OperationFields = {}): Promise<boolean> {
  const price = await bundler<{ standard: Record<'maxFeePerGas' | 'maxPriorityFeePerGas', Hex> }>(
    'pimlico_getUserOperationGasPrice',
  )
  const drafted = await createOperation(chain, { address: sender, owner: signer }, callData, {
    maxFeePerGas: BigInt(price.standard.maxFeePerGas),
    maxPriorityFeePerGas: BigInt(price.standard.maxPriorityFeePerGas),
    ...fields,
  })
  const draft = {
    ...drafted,
    callGasLimit: 0n,
    verificationGasLimit: 0n,
    preVerificationGas: 0n,
    signature: dummySignature,
  } as const
  const entryPoint = devAddresses.entryPoints['0.6.0']
  type Gas = Record<'callGasLimit' | 'verificationGasLimit' | 'preVerificationGas', Hex>
  const gas = await bundler<Gas>('eth_estimateUserOperationGas', hexOf(draft), entryPoint)
  const operation: Operation = {
    ...draft,
    callGasLimit: BigInt(gas.callGasLimit),
    verificationGasLimit: BigInt(gas.verificationGasLimit),
    preVerificationGas: BigInt(gas.preVerificationGas),
  }
  const signature = await signer.signMessage({ message: { raw: hashOperation(chain, operation) } })
  const hash = await bundler<Hex>('eth_sendUserOperation', hexOf({ ...operation, signature }), entryPoint)
  return (await waitForReceipt(chain, hash)).success
}

test('default', async () => {
  const [owner, second, key] = await Promise.all([chain.freshAccount(), chain.freshAccount(), chain.freshAccount()])
  const by = chain.connect(owner.privateKey)
  const args = [5n, [owner.address]]
  const address = (await by.read.readContract({ ...factory, functionName: 'getAddress', args })) as Address
  await by.transact({ to: address, value: parseEther('5') })
  const initCode = concat([factory.address, encodeFunctionData({ ...factory, functionName: 'createAccount', args })])
  const execute = encodeFunctionData({ abi, functionName: 'execute', args: [target, 1n, '0x'] })
  expect(await send(address, owner, execute, { initCode })).toBe(true)

  const account = { address, owner, stranger: second, by, read: by.read, account: { address, abi } }
  const addOwner = encodeFunctionData({
    ...multiOwnerPlugin,
    functionName: 'updateOwners',
    args: [[second.address], [owner.address]],
  })
  expect(await send(address, owner, addOwner)).toBe(true)
  const permissions = [
    update('updateAccessListAddressEntry', target, true, false),
    update('setNativeTokenSpendLimit', 10n, 0),
  ]
  const install = await installSessionKeys(account, [key.address], [permissions])
  expect(await send(address, second, encodeFunctionData(install))).toBe(true)

  const spend = (value: bigint) => executeData([{ target, value, data: '0x' }], key.address)
  expect(await send(address, key, spend(7n))).toBe(true)
  await expect(send(address, key, spend(4n))).rejects.toThrow()
  const elsewhere = executeData([{ target: second.address, value: 0n, data: '0x' }], key.address)
  await expect(send(address, key, elsewhere)).rejects.toThrow()
  await expect(send(address, key, execute)).rejects.toThrow()

  const predecessor = await by.read.readContract({
    ...sessionKeyPlugin,
    functionName: 'findPredecessor',
    args: [address, key.address],
  })
  const remove = encodeFunctionData({
    abi: sessionKeyPluginAbi,
    functionName: 'removeSessionKey',
    args: [key.address, predecessor],
  })
  expect(await send(address, second, remove)).toBe(true)
  await expect(send(address, key, spend(1n))).rejects.toThrow()
  const uninstall = encodeFunctionData(encodeUninstall(account, { address: sessionKeyPlugin.address }))
  expect(await send(address, second, uninstall)).toBe(true)
  const installed = { address, abi, functionName: 'getInstalledPlugins' }
  expect(await by.read.readContract(installed)).toEqual([multiOwnerPlugin.address])
  const upgrade = encodeFunctionData({
    abi,
    functionName: 'upgradeToAndCall',
    args: [modularAccount.implementation, '0x'],
  })
  expect(await send(address, second, upgrade)).toBe(true)
})
