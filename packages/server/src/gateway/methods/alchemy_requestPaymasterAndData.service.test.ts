import {
  foreignDummy,
  type LightOperation,
  lightOperation,
  signAndSend,
  type Version,
} from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { type Address, createWalletClient, encodeFunctionData, type Hex, http, parseAbi, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { entryPoints, paymasters, demo } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
  'function withdrawTo(address to, uint256 amount)',
])

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway?.close())

const mint = (to: Address) => encodeFunctionData({ abi, functionName: 'mint', args: [to, parseEther('100')] })
const minting = (version: Version) => lightOperation(gateway, version, (sender) => [{ to: demo, data: mint(sender) }])

/** The paymaster part as a client makes it up that knows the paymaster's address alone. */
function withDummy({ version, userOperation }: LightOperation): Record<string, Hex> {
  const paymaster = paymasters[version]
  return version === '0.6.0'
    ? { ...userOperation, paymasterAndData: `0x${paymaster.slice(2).toLowerCase()}${foreignDummy.slice(2)}` }
    : { ...userOperation, paymaster, paymasterData: foreignDummy }
}

/** Fees and gas settled by the client, as in the separate flow. */
async function settled(operation: LightOperation): Promise<LightOperation> {
  const dummy = withDummy(operation)
  const { result, error } = await gateway.ask('eth_estimateUserOperationGas', [dummy, entryPoints[operation.version]])
  if (error) throw new Error(error.message)
  const { callGasLimit, verificationGasLimit, preVerificationGas } = result as Record<string, Hex>
  const fees = { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x3b9aca00' }
  const gas = { callGasLimit, verificationGasLimit, preVerificationGas } as Record<string, Hex>
  return { ...operation, userOperation: { ...dummy, ...gas, ...fees } as Record<string, Hex> }
}

const sponsor = ({ version, userOperation }: LightOperation, more: object = {}) =>
  gateway.ask('alchemy_requestPaymasterAndData', [
    { policyId: 'default', entryPoint: entryPoints[version], userOperation, ...more },
  ])

test.each(versions)('default: entry point %s', async (version) => {
  const operation = await settled(await minting(version))
  const { result, error } = await sponsor(operation)
  expect(error).toBeUndefined()
  const fields = result as Record<string, Hex>
  expect(Object.keys(fields).sort()).toEqual(
    version === '0.6.0'
      ? ['paymasterAndData']
      : ['paymaster', 'paymasterData', 'paymasterPostOpGasLimit', 'paymasterVerificationGasLimit'],
  )
  const { hash, reply } = await signAndSend(gateway, operation, fields)
  expect(reply).toMatchObject({ result: hash })
  const receipt = await gateway.waitForReceipt(hash)
  expect(receipt).toMatchObject({ success: true })
  expect(receipt?.paymaster.toLowerCase()).toBe(paymasters[version].toLowerCase())
  expect(await gateway.client.getBalance({ address: operation.sender })).toBe(0n)
  const rows = await gateway.db.selectFrom('sponsorships').selectAll().where('user_op_hash', '=', hash).execute()
  expect(rows).toHaveLength(1)
  expect(BigInt(rows[0]?.max_cost ?? 0)).toBeGreaterThanOrEqual(BigInt(receipt?.actualGasCost ?? '0x0'))
})

test('behavior: on entry point 0.7 the limits that were asked for are signed for', async () => {
  const operation = await settled(await minting('0.7.0'))
  const limits = { paymasterVerificationGasLimit: '0x11170', paymasterPostOpGasLimit: '0x0' } as const
  Object.assign(operation.userOperation, limits)
  const fields = (await sponsor(operation)).result as Record<string, Hex>
  expect(fields).toMatchObject(limits)
  const { hash, reply } = await signAndSend(gateway, operation, fields)
  expect(reply).toMatchObject({ result: hash })
})

test.each(versions)('error: gas raised after it was signed for, entry point %s', async (version) => {
  const operation = await settled(await minting(version))
  const fields = (await sponsor(operation)).result as Record<string, Hex>
  const { reply } = await signAndSend(gateway, operation, { ...fields, maxFeePerGas: '0x77359401' })
  expect(reply.error?.message).toMatch(/AA34|signature/i)
})

test.each(versions)('error: fields missing, an unknown policy or entry point, on %s', async (version) => {
  const operation = await settled(await minting(version))
  const names = ['callGasLimit', 'verificationGasLimit', 'preVerificationGas', 'maxFeePerGas', 'maxPriorityFeePerGas']
  for (const name of [...names, 'sender', 'nonce', 'callData']) {
    const { [name]: _, ...userOperation } = operation.userOperation
    expect((await sponsor(operation, { userOperation })).error, name).toMatchObject({
      code: -32602,
      data: { code: 'REQUEST_INVALID' },
      message: expect.stringContaining(`userOperation.${name}`),
    })
  }
  expect((await sponsor(operation, { policyId: 'theirs' })).error?.data?.code).toBe('POLICY_NOT_FOUND')
  expect((await sponsor(operation, { entryPoint: demo })).error?.data?.code).toBe('ENTRY_POINT_NOT_FOUND')
})

test('behavior: an operation that pays for itself is estimated as it is', async () => {
  for (const version of versions) {
    const { userOperation, sender } = await minting(version)
    await gateway.setBalance(sender, parseEther('1'))
    const estimate = [userOperation, entryPoints[version]]
    expect((await gateway.ask('eth_estimateUserOperationGas', estimate)).error).toBeUndefined()
  }
  for (const params of [[], [1, 2], ['0x', entryPoints['0.7.0']]])
    expect((await gateway.ask('eth_estimateUserOperationGas', params)).error).toMatchObject({
      code: -32602,
      data: { code: 'REQUEST_INVALID' },
    })
})

test.each(versions)('error: a deposit that is too low, before anything is signed, entry point %s', async (version) => {
  const operation = await settled(await minting(version))
  const owner = privateKeyToAccount(devAccountOf.paymasterOwner.privateKey)
  const wallet = createWalletClient({ account: owner, transport: http(gateway.chain.nodeUrls[0]) })
  const [address, entryPoint] = [paymasters[version], entryPoints[version]]
  const balance = { address: entryPoint, abi, functionName: 'balanceOf', args: [address] } as const
  const deposit = await gateway.client.readContract(balance)
  const args = [owner.address, deposit - 1_000n] as const
  const hash = await wallet.writeContract({ address, abi, functionName: 'withdrawTo', args, chain: null })
  await waitForTransaction(gateway.client, hash)
  const rows = () => gateway.db.selectFrom('sponsorships').select('id').execute()
  const before = await rows()
  expect((await sponsor(operation)).error).toMatchObject({ code: -32508, data: { code: 'PAYMASTER_DEPOSIT_LOW' } })
  expect(await rows()).toEqual(before)
})
