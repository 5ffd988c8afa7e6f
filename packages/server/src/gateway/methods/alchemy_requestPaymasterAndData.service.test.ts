import {
  foreignDummy,
  type LightOperation,
  lightOperation,
  signAndSend,
  type Version,
} from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { type Address, encodeFunctionData, type Hex, parseAbi, parseEther } from 'viem'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { entryPoints, paymasters, demo } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const
const abi = parseAbi(['function mint(address to, uint256 amount)'])

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

const mint = (to: Address) => encodeFunctionData({ abi, functionName: 'mint', args: [to, parseEther('100')] })
const minting = (version: Version) => lightOperation(gateway, version, (sender) => [{ to: demo, data: mint(sender) }])

function withDummy({ version, userOperation }: LightOperation): Record<string, Hex> {
  const paymaster = paymasters[version]
  return version === '0.6.0'
    ? { ...userOperation, paymasterAndData: `0x${paymaster.slice(2).toLowerCase()}${foreignDummy.slice(2)}` }
    : { ...userOperation, paymaster, paymasterData: foreignDummy }
}

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

test.each(versions)('sponsors a settled operation, entry point %s', async (version) => {
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

test('signs the requested limits on entry point 0.7', async () => {
  const operation = await settled(await minting('0.7.0'))
  const limits = { paymasterVerificationGasLimit: '0x11170', paymasterPostOpGasLimit: '0x0' } as const
  Object.assign(operation.userOperation, limits)
  const fields = (await sponsor(operation)).result as Record<string, Hex>
  expect(fields).toMatchObject(limits)
  const { hash, reply } = await signAndSend(gateway, operation, fields)
  expect(reply).toMatchObject({ result: hash })
})

test.each(versions)('refuses missing fields and unknown entry points, entry point %s', async (version) => {
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
  expect((await sponsor(operation, { entryPoint: demo })).error?.data?.code).toBe('ENTRY_POINT_NOT_FOUND')
})
