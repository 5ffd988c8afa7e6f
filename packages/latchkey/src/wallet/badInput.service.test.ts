import { newKey } from '@latchkey/testkit/accounts/setChain'
import { demo, mint } from '@latchkey/testkit/demoToken'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { createClient, custom, type Hex, numberToHex, parseEther } from 'viem'
import { afterAll, describe, expect } from 'vitest'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

type Version = 'v1.1.0' | 'v2.0.0'
type Options = Partial<createSmartAccountClient.Parameters> & { isGateway?: boolean; chainId?: number }

async function setUp(version: Version, { isGateway, chainId, ...options }: Options = {}) {
  const dev = defineLatchkeyDevChain({ id: chainId ?? gateway.chainId })
  const chain = { ...dev, custom: { latchkey: { ...dev.custom.latchkey, gateway: isGateway } } }
  const sent: unknown[] = []
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    if (method === 'eth_sendUserOperation') sent.push(params)
    const { result, error } = await gateway.ask(method, params ?? [])
    if (error) throw Object.assign(new TypeError(error.message), error)
    return result
  }
  const transport = custom({ request }, { retryCount: 0 })
  const account = await toLightAccount({ client: createClient({ chain, transport }), owner: newKey(), version })
  return { sent, client: createSmartAccountClient({ ...options, account, chain, transport }) }
}

const sponsored = (policyId = 'default') => ({ gasManagerConfig: { policyId } })
const uo = { target: demo, data: mint(demo, 5n).data } as const

describe('v2.0.0', () => {
  const version = 'v2.0.0'
  test.each([
    ['sponsored, prepared by the gateway', { ...sponsored(), isGateway: true }],
    ['sponsored', { ...sponsored(), isGateway: false }],
    ['prepared by the gateway', { isGateway: true }],
    ['paid and prepared here', { isGateway: false }],
  ])('rounds the fee up at an odd base fee: %s', async (_, options: Options) => {
    const { client } = await setUp(version, options)
    await gateway.setBalance(client.account.address, parseEther('1'))
    await gateway.request('anvil_setNextBlockBaseFeePerGas', [numberToHex(1_000_000_007n)])
    await gateway.request('anvil_mine', ['0x1'])
    const { hash, request } = await client.sendUserOperation({ uo })
    expect(BigInt(request.maxFeePerGas ?? 0) - BigInt(request.maxPriorityFeePerGas ?? 0)).toBe(1_500_000_011n)
    await expect(client.waitForUserOperationTransaction({ hash })).resolves.toMatch(/^0x/)
  })

  test('refuses oversized call data and more gas than a bundler allows', async () => {
    const large = await setUp(version, { ...sponsored(), isGateway: true })
    const data: Hex = `0x${'11'.repeat(600_000)}`
    const error = await large.client.sendUserOperation({ uo: { target: demo, data } }).catch((cause: unknown) => cause)
    expect(error).toMatchObject({
      code: 'BODY_TOO_LARGE',
      shortMessage: expect.stringMatching(/ larger than \d+ bytes\./),
    })
    expect((error as Error).message.length).toBeLessThan(2_000)

    const { client, sent } = await setUp(version, { isGateway: false })
    await gateway.setBalance(client.account.address, parseEther('10'))
    await expect(client.sendUserOperation({ uo, overrides: { callGasLimit: 31_000_000n } })).rejects.toMatchObject({
      code: 'USER_OPERATION_INVALID',
      shortMessage: 'This operation asks for more gas than a bundler gives to one.',
      message: expect.stringMatching(/Its gas limits add up to 3\d{7}\./),
    })
    // Only the second operation was signed and sent, and then refused.
    expect([large.sent, sent.length]).toEqual([[], 1])
    // Waits for the block, which would otherwise change the base fee during the next test.
    const { hash } = await client.sendUserOperation({ uo })
    await expect(client.waitForUserOperationTransaction({ hash })).resolves.toMatch(/^0x/)
  })
})
