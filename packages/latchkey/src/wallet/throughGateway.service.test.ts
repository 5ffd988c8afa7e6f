import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { type Address, createClient, custom, encodeFunctionData, parseEther, type Transport, zeroAddress } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, describe, expect } from 'vitest'
import type { gatewayApp } from '../../../server/src/gateway/app.ts'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import { memoryOutbox } from '../core/outbox/memoryOutbox.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'
import { getCallsStatus, sendCalls } from './provider/clientCalls.ts'
import type { AnyUserOperationInput } from './userOperation/types.ts'

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

const _signatures = (sender: string) =>
  gateway.db.selectFrom('sponsorships').select('id').where('sender', '=', sender.toLowerCase()).execute()

function through(app?: ReturnType<typeof gatewayApp>): Transport {
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    const { result, error } = await gateway.ask(method, params ?? [], app)
    if (error) throw Object.assign(new TypeError(error.message), error)
    return result
  }
  return custom({ request }, { retryCount: 0 })
}

type Options = Partial<createSmartAccountClient.Parameters> & { version: 'v1.1.0' | 'v2.0.0' }

async function setUp({ version, ...options }: Options) {
  const chain = defineLatchkeyDevChain({ id: gateway.chainId })
  const transport = options.transport ?? through()
  const owner = privateKeyToAccount(generatePrivateKey())
  const account = await toLightAccount({ client: createClient({ chain, transport }), owner, version })
  const gasManagerConfig = { policyId: 'default' }
  const client = createSmartAccountClient({ gasManagerConfig, ...options, account, chain, transport })
  return { client, address: client.account.address }
}

const mint = (to: Address, value: bigint) =>
  ({ target: demo, data: encodeFunctionData({ abi: demoAbi, functionName: 'mint', args: [to, value] }) }) as const
const _transfer = (to: Address, value: bigint) =>
  ({ target: demo, data: encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [to, value] }) }) as const
const balanceOf = (address: Address) =>
  gateway.client.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })

describe.each(['v1.1.0', 'v2.0.0'] as const)('%s', (version) => {
  test.each([
    ['settles gas, fees and sponsorship by one request', undefined],
    ['settles gas and fees locally, with sponsorship of the gateway', { disableGasEstimation: true }],
  ])('%s', async (_, gasEstimationOptions) => {
    const { client, address } = await setUp({
      version,
      gasManagerConfig: { policyId: 'default', gasEstimationOptions },
    })
    for (const value of [5n, 6n]) {
      const { hash } = await client.sendUserOperation({ uo: mint(address, value) })
      await client.waitForUserOperationTransaction({ hash })
      expect((await client.getUserOperationReceipt(hash))?.paymaster).not.toBe(zeroAddress)
    }
    expect(await balanceOf(address)).toBe(11n)
    expect(await gateway.client.getBalance({ address })).toBe(0n)
  })
})

describe.each(['v1.1.0', 'v2.0.0'] as const)('%s: calls by function and arguments', (version) => {
  test('sends and stores the same bytes as calls by data', async () => {
    const store = memoryOutbox()
    const { client, address } = await setUp({ version, outbox: { store } })
    await gateway.setBalance(address, parseEther('1'))
    const byFunction = { target: demo, abi: demoAbi, functionName: 'mint', args: [address, 5n] } as const
    const byData = mint(address, 5n)
    const { callData } = await client.buildUserOperation({ uo: [byData, byData] })
    for (const uo of [byFunction, byData]) {
      expect((await client.buildUserOperation({ uo: [uo, byFunction] })).callData).toBe(callData)
      expect(await client.estimateUserOperationGas({ uo })).toHaveProperty('callGasLimit')
      expect(await client.checkGasSponsorshipEligibility({ uo })).toBe(true)
    }
    const { hash, request } = await client.sendUserOperation({ uo: [byFunction, byData] })
    expect(request.callData).toBe(callData)
    await client.waitForUserOperationTransaction({ hash, request })
    expect(await balanceOf(address)).toBe(10n)
    expect((await client.listOperations())[0]?.uo).toEqual([byData, byData])

    const { id } = await sendCalls(client, { calls: [{ ...byFunction, to: demo }, { to: address }] })
    await expect.poll(async () => (await getCallsStatus(client, id)).status).toBe(200)
    expect(await balanceOf(address)).toBe(15n)
  })

  test('requests, signs and stores nothing when arguments do not fit the ABI', async () => {
    const store = memoryOutbox()
    const { client, address } = await setUp({ version, outbox: { store } })
    const uo: AnyUserOperationInput = { target: demo, abi: demoAbi, functionName: 'mint', args: [address] }
    await expect(client.sendUserOperation({ uo })).rejects.toMatchObject({
      code: 'ARGUMENT_INVALID',
      shortMessage: expect.stringContaining('The call of mint does not match its ABI.'),
    })
    await expect(client.estimateUserOperationGas({ uo })).rejects.toMatchObject({ code: 'ARGUMENT_INVALID' })
    expect(await client.listOperations()).toEqual([])
  })
})
