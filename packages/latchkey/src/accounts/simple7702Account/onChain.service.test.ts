import { newKey, setChain } from '@latchkey/testkit/accounts/setChain'
import { demo, demoAbi, mint } from '@latchkey/testkit/demoToken'
import { gatewayTransport } from '@latchkey/testkit/gateway/gatewayTransport'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { custom, type Hex, numberToHex, zeroAddress } from 'viem'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { createSmartAccountClient } from '../../wallet/client/createSmartAccountClient.ts'
import { erc7677Middleware } from '../../wallet/middleware/erc7677.ts'
import { toSimple7702Account } from './toSimple7702Account.ts'

const stage = setChain()
let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

const { simple7702Accounts, paymasters } = devAddresses
const codeOf = (delegate: string) => `0xef0100${delegate.slice(2).toLowerCase()}` as Hex
const versions = ['v0.8.0', 'v0.9.0'] as const
const numberOf = { 'v0.8.0': '0.8.0', 'v0.9.0': '0.9.0' } as const

const payments = {
  'sponsored with one request': { gasManagerConfig: { policyId: 'default' } },
  'sponsored after gas was estimated': {
    gasManagerConfig: { policyId: 'default', gasEstimationOptions: { disableGasEstimation: true } },
  },
  'sponsored by ERC-7677': erc7677Middleware({ context: { policyId: 'default' } }),
  'paid by the account': {},
}

const cases = versions.flatMap((version) =>
  Object.entries(payments).map(([name, payment]) => [version, name, payment] as const),
)

test.each(cases)('sends through the gateway from %s, %s', async (version, name, payment) => {
  const account = await toSimple7702Account({ client: stage.reader, owner: newKey(), version })
  const isSelfPaid = name === 'paid by the account'
  if (isSelfPaid) await stage.funded(account)
  const client = createSmartAccountClient({
    account,
    chain: stage.chain,
    transport: gatewayTransport(gateway),
    ...payment,
  })
  for (const isFirst of [true, false]) {
    const call = { target: demo, abi: demoAbi, functionName: 'mint', args: [account.address, 5n] } as const
    const { hash, request } = await client.sendUserOperation({ uo: [call, call] })
    expect(request.factory).toBe(isFirst ? '0x7702' : undefined)
    await client.waitForUserOperationTransaction({ hash, request })
    const { success, paymaster = zeroAddress } = (await client.getUserOperationReceipt(hash)) ?? {}
    expect(success).toBe(true)
    expect(paymaster.toLowerCase()).toBe((isSelfPaid ? zeroAddress : paymasters[numberOf[version]]).toLowerCase())
  }
  expect(await stage.balanceOf(account.address)).toBe(20n)
  expect(await stage.reader.getCode({ address: account.address })).toBe(codeOf(simple7702Accounts[numberOf[version]]))
})

function createSignal() {
  let raise = () => {}
  const raised = new Promise<void>((resolve) => {
    raise = resolve
  })
  return { raise: () => raise(), raised }
}

test('has owner and paymaster sign at the same time on EntryPoint 0.9', async () => {
  // Owner and paymaster each wait until the other has started to sign.
  const [owner, paymaster] = [createSignal(), createSignal()]
  const calls: string[] = []
  const key = newKey()
  const meeting = {
    ...key,
    async sign(parameters: { hash: Hex }) {
      owner.raise()
      await paymaster.raised
      return key.sign(parameters)
    },
  }
  const inner = gatewayTransport(gateway)({})
  const transport = custom(
    {
      async request({ method, params }) {
        calls.push(method)
        if (method === 'pm_getPaymasterData') {
          paymaster.raise()
          await owner.raised
        }
        return inner.request({ method, params } as never)
      },
    },
    { retryCount: 0 },
  )
  const account = await toSimple7702Account({ client: stage.reader, owner: meeting, version: 'v0.9.0' })
  const middleware = erc7677Middleware({ context: { policyId: 'default' } })
  const client = createSmartAccountClient({ account, chain: stage.chain, transport, ...middleware })
  const call = { target: demo, abi: demoAbi, functionName: 'mint', args: [account.address, 5n] } as const
  const sent = await client.sendUserOperation({ uo: call })
  await client.waitForUserOperationTransaction(sent)
  expect(calls.filter((method) => method.startsWith('pm_'))).toEqual(['pm_getPaymasterStubData', 'pm_getPaymasterData'])
})

test('has the owner sign again when the paymaster changed what was signed', async () => {
  const account = await toSimple7702Account({ client: stage.reader, owner: newKey(), version: 'v0.9.0' })
  const inner = gatewayTransport(gateway)({})
  const transport = custom(
    {
      async request({ method, params }) {
        const result = await inner.request({ method, params } as never)
        if (method !== 'pm_getPaymasterStubData') return result
        // The gateway must replace a validity that ends soon with its own.
        const validUntil = numberToHex(Math.floor(Date.now() / 1_000) + 100, { size: 6 })
        return { ...(result as object), paymasterData: `${validUntil}${'00'.repeat(26)}` }
      },
    },
    { retryCount: 0 },
  )
  const middleware = erc7677Middleware({ context: { policyId: 'default' } })
  const client = createSmartAccountClient({ account, chain: stage.chain, transport, ...middleware })
  const call = { target: demo, abi: demoAbi, functionName: 'mint', args: [account.address, 5n] } as const
  const uoStruct = await client.buildUserOperation({ uo: call })
  const request = await client.signUserOperation({ uoStruct })
  expect(request.paymasterData).not.toBe(uoStruct.paymasterData)
  const hash = (await inner.request({
    method: 'eth_sendUserOperation',
    params: [request, account.entryPoint.address],
  } as never)) as Hex
  await client.waitForUserOperationTransaction({ hash })
})

test.each(versions)('sends from %s through viem’s bundler client, and signs messages', async (version) => {
  const owner = newKey()
  const account = await stage.funded(await toSimple7702Account({ client: stage.reader, owner, version }))
  const { address } = account
  const check = async () => {
    const signature = await account.signMessageWith6492({ message: 'hello' })
    expect(await stage.reader.verifyMessage({ address, message: 'hello', signature })).toBe(true)
  }
  await check()
  const bundler = stage.createBundler(account)
  const nonce = await stage.reader.getTransactionCount(owner)
  const contractAddress = simple7702Accounts[numberOf[version]]
  const authorization = await owner.signAuthorization({ contractAddress, chainId: stage.chainId, nonce })
  for (const more of [{ authorization }, {}]) {
    const hash = await bundler.sendUserOperation({ calls: [mint(address, 1n)], ...more } as never)
    expect(await bundler.waitForUserOperationReceipt({ hash })).toBeDefined()
  }
  expect(await stage.reader.getCode({ address })).toBe(codeOf(contractAddress))
  await check()
})

test('replaces the release for EntryPoint 0.8 by that for 0.9, and nothing else', async () => {
  const owner = newKey()
  const account = await stage.funded(await toSimple7702Account({ client: stage.reader, owner, version: 'v0.9.0' }))
  const { address } = account
  const setDelegate = (delegate: string) => stage.tester.setCode({ address, bytecode: codeOf(delegate) })
  await setDelegate(simple7702Accounts['0.8.0'])
  const client = createSmartAccountClient({ account, chain: stage.chain, transport: gatewayTransport(gateway) })
  const uo = { target: zeroAddress, data: '0x' } as const
  const sent = await client.sendUserOperation({ uo })
  await client.waitForUserOperationTransaction(sent)
  expect(await stage.reader.getCode({ address })).toBe(codeOf(simple7702Accounts['0.9.0']))
  const earlier = await toSimple7702Account({ client: stage.reader, owner })
  const unknown = { code: 'DELEGATE_UNKNOWN' }
  await expect(earlier.signUserOperationHash(`0x${'11'.repeat(32)}`)).rejects.toMatchObject(unknown)
})

test('refuses an unknown version', async () => {
  const given = { client: stage.reader, owner: newKey(), version: 'v0.7.0' as never }
  await expect(toSimple7702Account(given)).rejects.toMatchObject({ code: 'VERSION_UNKNOWN' })
})
