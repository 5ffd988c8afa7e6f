import { demo, demoAbi } from '@latchkey/testkit/demoToken'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { startPatientBundler } from '@latchkey/testkit/wallet/startPatientBundler'
import { test } from '@latchkey/testkit/worker'
import {
  type Address,
  createClient,
  custom,
  encodeFunctionData,
  parseEther,
  type Transport,
  zeroAddress,
  zeroHash,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, describe, expect } from 'vitest'
import type { gatewayApp } from '../../../server/src/gateway/app.ts'
import { toLightAccount } from '../accounts/lightAccount/toLightAccount.ts'
import { toModularAccount } from '../accounts/modularAccount/toModularAccount.ts'
import { SessionKeyPermissionsBuilder } from '../accounts/plugins/sessionKey/SessionKeyPermissionsBuilder.ts'
import { sessionKeyPluginActions } from '../accounts/plugins/sessionKey/sessionKeyPluginActions.ts'
import type { LatchkeyAccount } from '../accounts/types.ts'
import { getPaymasterAddress } from '../core/chains/getPaymasterAddress.ts'
import { defineLatchkeyDevChain } from '../core/chains/latchkeyDev.ts'
import { createSmartAccountClient } from './client/createSmartAccountClient.ts'
import type { CallInput } from './userOperation/types.ts'

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

const signatures = (sender: string) =>
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
const transfer = (to: Address, value: bigint) =>
  ({ target: demo, data: encodeFunctionData({ abi: demoAbi, functionName: 'transfer', args: [to, value] }) }) as const
const balanceOf = (address: Address) =>
  gateway.client.readContract({ address: demo, abi: demoAbi, functionName: 'balanceOf', args: [address] })

describe.each(['v1.1.0', 'v2.0.0'] as const)('%s', (version) => {
  test.each([
    ['default: one request settles gas, fees and sponsorship', undefined],
    ['behavior: gas and fees are settled here, the gateway only sponsors', { disableGasEstimation: true }],
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

test('behavior: the changes of an operation are simulated before it is signed, also for an account to be deployed', async () => {
  const { client, address } = await setUp({ version: 'v2.0.0' })
  await gateway.setBalance(address, parseEther('1'))
  const target = privateKeyToAccount(generatePrivateKey()).address
  const { changes, error } = await client.simulateUserOperation({
    uo: [{ target, data: '0x', value: 3n }, mint(address, 9n), transfer(target, 4n)],
  })
  expect(error).toBeUndefined()
  const seen = changes.map(({ assetType, to, rawAmount, symbol }) => [assetType, to.toLowerCase(), rawAmount, symbol])
  expect(seen).toEqual([
    ['NATIVE', target.toLowerCase(), '3', 'ETH'],
    ['ERC20', address.toLowerCase(), '9', 'DEMO'],
    ['ERC20', target.toLowerCase(), '4', 'DEMO'],
  ])
  expect(await client.smartAccount.isDeployed()).toBe(false)
  // No paymaster has signed for a preview.
  expect(await signatures(address)).toEqual([])
})

test('behavior: with useSimulation what would fail is not sent', async () => {
  const gas = { callGasLimit: 100_000n, verificationGasLimit: 500_000n, preVerificationGas: 100_000n }
  const { client, address } = await setUp({
    version: 'v2.0.0',
    useSimulation: true,
    gasManagerConfig: undefined,
    // Otherwise the gas estimate would refuse the call first.
    gasEstimator: async (draft) => ({ ...draft, ...gas }),
  })
  await gateway.setBalance(address, parseEther('1'))
  await expect(client.sendUserOperation({ uo: transfer(demo, 4n) })).rejects.toMatchObject({
    code: 'CONTRACT_REVERTED',
    shortMessage: expect.stringContaining('Insufficient'),
  })
})

test('behavior: who would be sponsored', async () => {
  const { client, address } = await setUp({ version: 'v2.0.0' })
  const uo = mint(address, 1n)
  expect(await client.checkGasSponsorshipEligibility({ uo })).toBe(true)
  const { client: other } = await setUp({ version: 'v2.0.0', gasManagerConfig: { policyId: 'nobody-s' } })
  expect(await other.checkGasSponsorshipEligibility({ uo })).toBe(false)
  expect(await signatures(address)).toEqual([])
})

test('behavior: a sponsored operation that waits is replaced', async () => {
  const bundler = await startPatientBundler(gateway.chain.nodeUrls[0] ?? '')
  try {
    const transport = through(gateway.withChain({ bundlerUrls: [bundler.url] }))
    const { client, address } = await setUp({ version: 'v2.0.0', transport })
    const waiting = await client.sendUserOperation({ uo: mint(address, 5n) })
    const { hash, request } = await client.dropAndReplaceUserOperation({ uoToDrop: waiting.request })
    for (const field of ['maxFeePerGas', 'maxPriorityFeePerGas'] as const) {
      expect(BigInt(request[field] ?? 0) * 10n).toBeGreaterThanOrEqual(BigInt(waiting.request[field] ?? 0) * 11n)
    }
    await bundler.bundle()
    await client.waitForUserOperationTransaction({ hash })
    expect(await balanceOf(address)).toBe(5n)
  } finally {
    await bundler.close()
  }
})

test('behavior: a session key acts, sponsored as it has to be; what it may not do is named', async () => {
  const chain = defineLatchkeyDevChain({ id: gateway.chainId })
  const transport = through()
  const reader = createClient({ chain, transport })
  const clientOf = (account: LatchkeyAccount, gasManagerConfig?: { policyId: string }) =>
    createSmartAccountClient({ account, chain, transport, gasManagerConfig }).extend(sessionKeyPluginActions)
  const owner = privateKeyToAccount(generatePrivateKey())
  const key = privateKeyToAccount(generatePrivateKey())
  const account = await toModularAccount({ client: reader, owner })
  const session = await toModularAccount({ client: reader, owner: key, accountAddress: account.address })
  const permissions = new SessionKeyPermissionsBuilder()
    .addContractAddressAccessEntry({ contractAddress: demo, isOnList: true, checkSelectors: false })
    .setRequiredPaymaster(getPaymasterAddress({ chain, entryPointVersion: '0.6.0' }))
  const policy = { policyId: 'default' }
  const args = [[key.address], [zeroHash], [permissions.encode()]] as const
  await clientOf(account, policy).installSessionKeyPlugin({ args, waitForTxn: true })

  const execute = (calls: readonly CallInput[], sponsored = true) =>
    clientOf(session, sponsored ? policy : undefined)
      .executeWithSessionKey({ args: [calls, key.address], waitForTxn: true })
      .catch((error) => `${error.code}: ${error.shortMessage}`)
  expect(await execute([mint(account.address, 5n)])).toMatch(/^0x/)
  expect(await balanceOf(account.address)).toBe(5n)
  expect(await execute([{ target: owner.address, data: '0x' }])).toContain(`it may not call ${owner.address}.`)
  expect(await execute([mint(account.address, 1n)], false)).toContain('have to be paid for by the paymaster')
  // The token refuses, not a rule of the key.
  expect(await execute([transfer(demo, 6n)])).toMatch(/^CONTRACT_REVERTED.*Insufficient/)
})
