import { lightOperation, signAndSend } from '@latchkey/testkit/gateway/lightOperation'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { demo, entryPoints, paymasters } = devAddresses
const abi = parseAbi(['function mint(address to, uint256 amount)'])
const data = encodeFunctionData({ abi, functionName: 'mint', args: [demo, 1n] })

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

test.each(['0.6.0', '0.7.0'] as const)(
  'includes an operation priced and sponsored by the aliases, entry point %s',
  async (version) => {
    const operation = await lightOperation(gateway, version, [{ to: demo, data }])
    const price = await gateway.ask('pimlico_getUserOperationGasPrice', [])
    const { fast: fees } = price.result as { fast: { maxFeePerGas: Hex; maxPriorityFeePerGas: Hex } }
    expect(price.result).toEqual({ slow: fees, standard: fees, fast: fees })
    const asked = { ...operation.userOperation, ...fees, callGasLimit: '0x0' }
    const sponsored = await gateway.ask('pm_sponsorUserOperation', [asked, entryPoints[version]])
    expect(sponsored.error).toBeUndefined()
    const filled = { ...fees, ...(sponsored.result as Record<string, Hex>) }
    expect(filled).toMatchObject(fees)
    const { hash } = await signAndSend(gateway, operation, filled)
    expect(await gateway.waitForReceipt(hash)).toMatchObject({ success: true, paymaster: paymasters[version] })
  },
)

test('refuses an unknown policy, and methods of ZeroDev with the way to use instead', async () => {
  const operation = await lightOperation(gateway, '0.7.0', [{ to: demo, data }])
  const params = [operation.userOperation, entryPoints['0.7.0'], { sponsorshipPolicyId: 'none' }]
  expect((await gateway.ask('pm_sponsorUserOperation', params)).error).toMatchObject({
    data: { code: 'POLICY_NOT_FOUND' },
  })
  const { error } = await gateway.ask('zd_sponsorUserOperation', params)
  expect(error).toMatchObject({ code: -32601, message: expect.stringContaining('pm_getPaymasterStubData') })
})

test('estimates an operation without a paymaster without its gas limits', async ({ chain }) => {
  const operation = await lightOperation(gateway, '0.7.0', [{ to: demo, data }])
  await chain.request('anvil_setBalance', [operation.userOperation.sender, '0xde0b6b3a7640000'])
  const { paymasterAndData, ...userOperation } = operation.userOperation
  const { result, error } = await gateway.ask('eth_estimateUserOperationGas', [userOperation, entryPoints['0.7.0']])
  expect(error).toBeUndefined()
  expect(Object.keys(result as object).filter((name) => name.startsWith('paymaster'))).toEqual([])
})
