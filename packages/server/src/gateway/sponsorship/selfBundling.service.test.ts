import {
  encodeHandleOps,
  gasFields,
  lightOperation,
  type SignedOperation,
  signOperation,
  type Version,
} from '@latchkey/testkit/gateway/lightOperation'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { type Address, createWalletClient, type Hex, http, numberToHex, parseAbi, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { upsertPolicy } from '../../store/ledger/policies.ts'
import { gatewayApp } from '../app.ts'

// The attacker has the API key of a page and bundles its own operations, because the bundler receives the tip.

const { entryPoints, paymasters } = devAddresses
const balanceAbi = parseAbi(['function balanceOf(address account) view returns (uint256)'])
const bundler = privateKeyToAccount(generatePrivateKey())
/** Base fee of a layer 2. It is small compared with the tip, so nearly all of the paymaster's payment is profit. */
const baseFee = numberToHex(1_000_000n)
/** Runs as many loops as its call data requests, at 26 gas each. */
const burnerCode: Hex = '0x5f355b600190038060025700'
const burner: Address = `0x${'bb'.repeat(20)}`

// This file sets the base fee of its own chain.
let gateway: TestGateway
let app: ReturnType<typeof gatewayApp>
beforeAll(async () => {
  gateway = await startTestGateway()
  app = gatewayApp({
    ...gateway.deps,
    trustedProxies: 1,
    limits: { unitsPerIp: { limit: 10_000_000, windowMs: 60_000 } },
  })
  await gateway.request('anvil_setCode', [burner, burnerCode])
  await gateway.setBalance(bundler.address, 10n ** 18n)
})
afterAll(() => gateway?.close())

async function ask(ip: string, method: string, params: unknown): Promise<RpcReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const headers = { 'x-forwarded-for': ip }
  return (await (await app.request(`/v2/${gateway.apiKey}`, { method: 'POST', body, headers })).json()) as RpcReply
}

const deposit = (version: Version) =>
  gateway.client.readContract({
    address: entryPoints[version],
    abi: balanceAbi,
    functionName: 'balanceOf',
    args: [paymasters[version]],
  })

type Attempt = { ip: string; version: Version; policyId: string; gas: bigint; multiplier: number }

async function request({ ip, version, policyId, gas, multiplier }: Attempt) {
  const calls = [{ to: burner, data: numberToHex(gas / 26n, { size: 32 }) }]
  const operation = await lightOperation(gateway, version, calls)
  const { userOperation, dummySignature } = operation
  // Unused gas is also charged.
  const overrides = { maxPriorityFeePerGas: { multiplier }, callGasLimit: { multiplier: gas > 5_000_000n ? 2 : 1 } }
  const asked = { policyId, entryPoint: entryPoints[version], userOperation, dummySignature, overrides }
  await gateway.request('anvil_setNextBlockBaseFeePerGas', [baseFee])
  await gateway.request('evm_mine')
  const { result, error } = await ask(ip, 'alchemy_requestGasAndPaymasterAndData', [asked])
  return { operation, error, filled: result as Record<string, Hex> | undefined }
}

async function bundle(version: Version, signed: SignedOperation): Promise<void> {
  const wallet = createWalletClient({ account: bundler, transport: http(gateway.chain.nodeUrls[0]) }).extend(
    publicActions,
  )
  await gateway.request('anvil_setNextBlockBaseFeePerGas', [baseFee])
  const data = encodeHandleOps(version, signed, bundler.address)
  const hash = await wallet.sendTransaction({
    chain: null,
    to: entryPoints[version],
    data,
    gas: 25_000_000n,
    maxPriorityFeePerGas: 0n,
    maxFeePerGas: 1_000_000_000n,
  })
  expect(await wallet.waitForTransactionReceipt({ hash, pollingInterval: 20 })).toMatchObject({ status: 'success' })
  await gateway.ask('latchkey_waitForUserOperation', [signed.hash])
}

test.each(['0.6.0', '0.7.0'] as const)(
  'pays an attacker that bundles its own operations at most a daily cost, entry point %s',
  async (version) => {
    const day = 5n * 10n ** 16n
    const policyId = `daily-${version}`
    const rules = { limits: { operation: { cost: String(day / 5n) }, policy: { day: { cost: String(day) } } } }
    await upsertPolicy(gateway.db, { projectId: 'app', id: policyId, rules })
    const before = await deposit(version)
    const market = BigInt(String((await ask('192.0.2.1', 'rundler_maxPriorityFeePerGas', [])).result))
    const profits: bigint[] = []
    const refusals = new Set<unknown>()
    for (let address = 1; address <= 6; address++)
      for (const gas of [6_000_000n, 3_000_000n, 2_000_000n, 1_000_000n, 500_000n]) {
        const attempt = { ip: `192.0.2.${address}`, version, policyId, gas, multiplier: 3 }
        const { operation, error, filled } = await request(attempt)
        if (!filled) {
          refusals.add((error?.data as { rule?: string } | undefined)?.rule)
          continue
        }
        // The tip is clamped to the policy's factor.
        expect(BigInt(filled.maxPriorityFeePerGas ?? '0x0')).toBeLessThanOrEqual(2n * market)
        const had = await gateway.client.getBalance({ address: bundler.address })
        await bundle(version, await signOperation(gateway.chainId, operation, filled))
        profits.push((await gateway.client.getBalance({ address: bundler.address })) - had)
      }
    const lost = before - (await deposit(version))
    const profit = profits.reduce((sum, one) => sum + one, 0n)
    // The attack is profitable, since the block producer charges no tip here. The daily cost limits the profit.
    expect(profit).toBeGreaterThan(0n)
    expect(lost).toBeLessThanOrEqual(day)
    expect(profit).toBeLessThanOrEqual(lost)
    expect([...refusals]).toEqual(expect.arrayContaining(['limits.operation.gas', 'limits.ip.day.cost']))
  },
)

test('refuses an absolute tip above the market, naming the limit', async () => {
  const [version, ip, policyId] = ['0.7.0', '192.0.2.99', 'default'] as const
  const { operation, filled } = await request({ ip, version, policyId, gas: 26_000n, multiplier: 1 })
  const market = BigInt(filled?.maxPriorityFeePerGas ?? '0x0')
  const values = Object.entries(filled ?? {}).filter(([name]) => gasFields.includes(name))
  const sign = (tip: bigint) => {
    const maxPriorityFeePerGas = numberToHex(tip)
    const userOperation = { ...operation.userOperation, ...Object.fromEntries(values), maxPriorityFeePerGas }
    return ask(ip, 'alchemy_requestPaymasterAndData', [{ policyId, entryPoint: entryPoints[version], userOperation }])
  }
  const tooHigh = { code: -32501, data: { code: 'POLICY_REFUSED', rule: 'factors.maxPriorityFeePerGas' } }
  expect((await sign(2n * market + 1n)).error).toMatchObject({
    ...tooHigh,
    message: expect.stringContaining(`at most ${2n * market} now`),
  })
  // viem's doubled fee, and three replacements that each raise it by 10 percent.
  let tip = 2n * market
  for (let replacement = 0; replacement <= 3; replacement++) {
    expect((await sign(tip)).error, `replacement ${replacement}`).toBeUndefined()
    tip = (tip * 11n + 9n) / 10n
  }
  expect((await sign(tip)).error).toMatchObject(tooHigh)
})
