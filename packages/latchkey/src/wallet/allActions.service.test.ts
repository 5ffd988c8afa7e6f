import { newKey } from '@latchkey/testkit/accounts/setChain'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { type Address, createClient, custom, http, parseEther, type Transport } from 'viem'
import { afterAll, describe, expect } from 'vitest'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import {
  buildUserOperation,
  buildUserOperationFromTx,
  buildUserOperationFromTxs,
} from './client/actions/buildUserOperation.ts'
import { getUserOperationReceipt } from './client/actions/bundlerActions.ts'
import { checkGasSponsorshipEligibility } from './client/actions/checkGasSponsorshipEligibility.ts'
import { estimateUserOperationGas } from './client/actions/estimateUserOperationGas.ts'
import { sendTransactions } from './client/actions/sendTransactions.ts'
import { sendUserOperation, signUserOperation } from './client/actions/sendUserOperation.ts'
import { simulateUserOperation } from './client/actions/simulateUserOperation.ts'
import { waitForUserOperationTransaction } from './client/actions/waitForUserOperationTransaction.ts'
import { createOperationContext } from './client/createOperationContext.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'
import { bundlerMethods, split } from './client/split.ts'
import { erc7677Middleware } from './middleware/erc7677.ts'

let gateway: TestGateway
let served: { url: string; close(): Promise<void> }
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
  served = await gateway.serve()
})
afterAll(async () => {
  await served?.close()
  await gateway?.close()
})

const versions = ['v1.1.0', 'v2.0.0'] as const
const chainOf = () => defineLatchkeyDevChain({ id: gateway.chainId })
const call = (to: Address) => ({ target: demo, data: mint(to, 5n).data })
const balanceOf = (address: Address) =>
  gateway.client.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })

async function makeAccount(version: (typeof versions)[number]) {
  const client = createClient({ chain: chainOf(), transport: http(gateway.node.nodeUrl) })
  return toLightAccount({ client, owner: newKey(), version })
}

function counted(transport: Transport): { transport: Transport; methods: Set<string> } {
  const methods = new Set<string>()
  return {
    methods,
    transport: (options) => {
      const made = transport(options)
      const request = (given: { method: string; params?: unknown }) => {
        methods.add(given.method)
        return made.request(given)
      }
      return custom({ request }, { retryCount: 0 })(options)
    },
  }
}

describe.each(versions)('%s', (version) => {
  test('runs each action on its own, with a context', async () => {
    const account = await makeAccount(version)
    const { address } = account
    const context = createOperationContext({
      account,
      connection: { rpcUrl: served.url },
      gasManagerConfig: { policyId: 'default' },
    })
    const uo = call(address)
    const transaction = { to: demo, data: uo.data }
    expect(await checkGasSponsorshipEligibility(context, { uo })).toBe(true)
    expect((await simulateUserOperation(context, { uo })).changes).toHaveLength(1)
    const built = await buildUserOperation(context, { uo })
    expect((await buildUserOperationFromTx(context, transaction)).callData).toBe(built.callData)
    const { uoStruct } = await buildUserOperationFromTxs(context, { requests: [transaction] })
    expect((await signUserOperation(context, { uoStruct })).signature).not.toBe(uoStruct.signature)
    const { hash } = await sendUserOperation(context, { uo })
    const transactionHash = await waitForUserOperationTransaction(context, { hash })
    expect(await getUserOperationReceipt(context.client, hash)).toMatchObject({
      receipt: { transactionHash },
      sender: expect.stringMatching(new RegExp(address, 'i')),
    })
    expect(await sendTransactions(context, { requests: [transaction] })).toMatch(/^0x/)
    expect(await balanceOf(address)).toBe(10n)
  })
})

test('estimates gas before and after deployment', async () => {
  const account = await makeAccount('v2.0.0')
  const client = createSmartAccountClient({ account, connection: { rpcUrl: served.url } })
  await gateway.setBalance(account.address, parseEther('1'))
  const uo = call(account.address)
  const first = await client.estimateUserOperationGas({ uo })
  expect(first).not.toHaveProperty('paymasterVerificationGasLimit')
  for (const limit of Object.values(first)) expect(limit).toBeGreaterThan(20_000n)
  const { hash } = await client.sendUserOperation({ uo })
  await client.waitForUserOperationTransaction({ hash })
  const context = createOperationContext({ account, rpcUrl: served.url })
  const second = await estimateUserOperationGas(context, { uo })
  expect(second.verificationGasLimit).toBeLessThan(first.verificationGasLimit)
  // The estimate ignores overrides.
  const overrides = { callGasLimit: 1n }
  expect((await client.estimateUserOperationGas({ uo, overrides })).callGasLimit).toBe(second.callGasLimit)
})

test('pays with any ERC-7677 service at its own URL', async () => {
  const account = await makeAccount('v2.0.0')
  const bundler = split({
    overrides: [{ methods: bundlerMethods, transport: http(gateway.node.bundlerUrl) }],
    fallback: http(gateway.node.nodeUrl),
  })
  const { transport, methods } = counted(http(served.url))
  const service = createClient({ transport })
  const client = createSmartAccountClient({
    account,
    transport: bundler,
    ...erc7677Middleware({ service, context: { policyId: 'default' } }),
  })
  for (const total of [5n, 10n]) {
    const { hash } = await client.sendUserOperation({ uo: call(account.address) })
    await client.waitForUserOperationTransaction({ hash })
    expect(await balanceOf(account.address)).toBe(total)
  }
  expect([...methods].sort()).toEqual(['pm_getPaymasterData', 'pm_getPaymasterStubData'])
  expect(await gateway.client.getBalance({ address: account.address })).toBe(0n)
})

test('never charges the account when a service pays only in its stub', async () => {
  const account = await makeAccount('v2.0.0')
  await gateway.setBalance(account.address, parseEther('1'))
  const request = async ({ method, params }: { method: string; params?: unknown }) => {
    const { result } = await gateway.ask(method, params)
    return method === 'pm_getPaymasterData' ? { paymasterAndData: '0x' } : result
  }
  const client = createSmartAccountClient({
    account,
    connection: { rpcUrl: served.url },
    ...erc7677Middleware({ service: createClient({ transport: custom({ request }, { retryCount: 0 }) }) }),
  })
  await expect(client.sendUserOperation({ uo: call(account.address) })).rejects.toMatchObject({
    code: 'RESPONSE_INVALID',
  })
})

describe('split', () => {
  test('retries a failed request only as its transport does', async () => {
    const asked = { bundler: 0, node: 0 }
    const failing = (name: keyof typeof asked, retryCount: number) => {
      const request = async () => {
        asked[name]++
        throw Object.assign(new TypeError('busy'), { code: -32603 })
      }
      return custom({ request }, { retryCount, retryDelay: 1 })
    }
    const transport = split({
      overrides: [{ methods: ['eth_sendUserOperation'], transport: failing('bundler', 0) }],
      fallback: failing('node', 2),
    })
    const client = createClient({ chain: chainOf(), transport })
    for (const method of ['eth_sendUserOperation', 'eth_chainId'] as const)
      await client.request({ method } as never).catch(() => {})
    expect(asked).toEqual({ bundler: 1, node: 3 })
  })
})
