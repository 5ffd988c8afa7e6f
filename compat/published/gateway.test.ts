import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { toLightAccount } from 'latchkey/accounts'
import { defineLatchkeyDevChain } from 'latchkey/chains'
import { createSmartAccountClient } from 'permissionless'
import { toLightSmartAccount, toSimpleSmartAccount } from 'permissionless/accounts'
import { createPublicClient, encodeFunctionData, type Hex, http, parseAbi } from 'viem'
import {
  createBundlerClient,
  createPaymasterClient,
  entryPoint06Address,
  entryPoint07Address,
} from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../packages/dev/src/chain/devAddresses.ts'

// Unmodified clients from npm receive only the gateway's URL.

const { demo, lightAccount, paymasters } = devAddresses
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
])
const mint = encodeFunctionData({ abi, functionName: 'mint', args: [demo, 1n] })

let gateway: TestGateway
let url: string
let server: Awaited<ReturnType<TestGateway['serve']>>
beforeAll(async () => {
  gateway = await startTestGateway()
  server = await gateway.serve()
  url = server.url
})
afterAll(async () => {
  await server?.close()
  await gateway?.close()
})

const newOwner = () => privateKeyToAccount(generatePrivateKey())

function connect() {
  const chain = defineLatchkeyDevChain({ id: gateway.chainId, nodeUrl: url })
  return { chain, client: createPublicClient({ chain, transport: http(url), pollingInterval: 20 }) }
}

const versions = [
  { entryPoint: '0.6', light: 'v1.1.0', permissionlessLight: '1.1.0', paymaster: paymasters['0.6.0'] },
  { entryPoint: '0.7', light: 'v2.0.0', permissionlessLight: '2.0.0', paymaster: paymasters['0.7.0'] },
] as const
const each = test.each(versions)

const readFee = async (hash: Hex) => {
  const { result } = await gateway.ask('eth_getUserOperationByHash', [hash])
  return BigInt((result as { userOperation: { maxPriorityFeePerGas: Hex } }).userOperation.maxPriorityFeePerGas)
}

each('sponsors viem operations by `paymaster: true` at stable fees, entry point $entryPoint', async (version) => {
  const { client } = connect()
  const account = await toLightAccount({ client, owner: newOwner(), version: version.light })
  const bundler = createBundlerClient({ account, client, paymaster: true, transport: http(url), pollingInterval: 20 })
  const fees: bigint[] = []
  for (let count = 0; count < 6; count += 1) {
    const hash = await bundler.sendUserOperation({ calls: [{ to: demo, data: mint }] })
    const receipt = await bundler.waitForUserOperationReceipt({ hash, timeout: 100_000 })
    expect(receipt).toMatchObject({ success: true, paymaster: version.paymaster })
    fees.push(await readFee(hash))
  }
  const [first = 0n] = fees
  for (const fee of fees) expect(fee, String(fees)).toBeLessThanOrEqual(first * 2n)
})

each(
  'sponsors viem operations through a paymaster client that names a policy, entry point $entryPoint',
  async (version) => {
    const { client } = connect()
    const account = await toLightAccount({ client, owner: newOwner(), version: version.light })
    const bundler = createBundlerClient({
      account,
      client,
      paymaster: createPaymasterClient({ transport: http(url) }),
      paymasterContext: { policyId: 'default' },
      transport: http(url),
      pollingInterval: 20,
    })
    const hash = await bundler.sendUserOperation({
      calls: [
        { to: demo, data: mint },
        { to: demo, data: mint },
      ],
    })
    const receipt = await bundler.waitForUserOperationReceipt({ hash, timeout: 100_000 })
    expect(receipt).toMatchObject({ success: true, paymaster: version.paymaster })
  },
)

each('sponsors a permissionless light account, entry point $entryPoint', async (version) => {
  const { chain, client } = connect()
  const is06 = version.entryPoint === '0.6'
  const account = await toLightSmartAccount({
    client,
    owner: newOwner(),
    version: version.permissionlessLight,
    entryPoint: is06
      ? { address: entryPoint06Address, version: '0.6' }
      : { address: entryPoint07Address, version: '0.7' },
    factoryAddress: lightAccount[version.light].factory,
  } as Parameters<typeof toLightSmartAccount>[0])
  const sender = createSmartAccountClient({
    account,
    chain,
    client,
    bundlerTransport: http(url),
    paymaster: createPaymasterClient({ transport: http(url) }),
  })
  // The first operation also deploys the account.
  for (let count = 0; count < 2; count += 1) {
    const hash = await sender.sendUserOperation({ calls: [{ to: demo, data: mint }] })
    const receipt = await sender.waitForUserOperationReceipt({ hash, timeout: 100_000 })
    expect(receipt).toMatchObject({ success: true, paymaster: version.paymaster })
  }
})

each('sponsors a permissionless simple account of the public factory, entry point $entryPoint', async (version) => {
  const { chain, client } = connect()
  const is06 = version.entryPoint === '0.6'
  const account = await toSimpleSmartAccount({
    client,
    owner: newOwner(),
    entryPoint: is06
      ? { address: entryPoint06Address, version: '0.6' }
      : { address: entryPoint07Address, version: '0.7' },
  } as Parameters<typeof toSimpleSmartAccount>[0])
  const paymaster = createPaymasterClient({ transport: http(url) })
  const sender = createSmartAccountClient({ account, chain, client, bundlerTransport: http(url), paymaster })
  for (let count = 0; count < 2; count += 1) {
    const hash = await sender.sendUserOperation({ calls: [{ to: demo, data: mint }] })
    expect(await sender.waitForUserOperationReceipt({ hash, timeout: 100_000 })).toMatchObject({ success: true })
  }
})
