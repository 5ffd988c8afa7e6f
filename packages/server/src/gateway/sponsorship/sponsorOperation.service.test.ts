import {
  type Call,
  gasFields,
  type LightOperation,
  lightOperation,
  signAndSend,
  type Version,
} from '@latchkey/testkit/gateway/lightOperation'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { listen, readBody } from '@latchkey/testkit/signer/listen'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { test } from '@latchkey/testkit/worker'
import { createWalletClient, encodeFunctionData, type Hex, http, numberToHex, parseAbi, publicActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect } from 'vitest'
import { devAccountOf } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { respondWithMetrics } from '../../platform/observability/metrics.ts'
import { setPolicyPaused, upsertPolicy } from '../../store/ledger/policies.ts'
import { gatewayApp } from '../app.ts'
import { release } from '../operations/release.ts'

const { entryPoints, paymasters, demo } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const
const hits: object[] = []
/** Gas and fees that a paymaster signs for. */
const gasOf06 = gasFields.filter((name) => name !== 'nonce' && !name.startsWith('paymaster'))
const fields = { '0.6.0': gasOf06, '0.7.0': gasFields.filter((name) => name !== 'nonce') }
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
  'function withdrawTo(address to, uint256 amount)',
  'function depositTo(address account) payable',
])

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain, onLimit: (hit) => void hits.push(hit) })
})
afterAll(() => gateway?.close())

const mint: Call = { to: demo, data: encodeFunctionData({ abi, functionName: 'mint', args: [demo, 1n] }) }
const minting = (version: Version) => lightOperation(gateway, version, [mint])

const sponsor = ({ version, userOperation, dummySignature }: LightOperation, more: object = {}) =>
  gateway.ask('alchemy_requestGasAndPaymasterAndData', [
    { policyId: 'default', entryPoint: entryPoints[version], userOperation, dummySignature, overrides: {}, ...more },
  ])
const sign = ({ version, userOperation }: LightOperation, settled: Record<string, Hex>, more: object = {}) =>
  gateway.ask('alchemy_requestPaymasterAndData', [
    { policyId: 'default', entryPoint: entryPoints[version], userOperation: { ...userOperation, ...settled }, ...more },
  ])

async function settle(operation: LightOperation, overrides: object = {}): Promise<Record<string, Hex>> {
  const { result, error } = await sponsor(operation, { overrides })
  if (error) throw new TypeError(error.message)
  return Object.fromEntries(
    Object.entries(result as Record<string, Hex>).filter(([name]) => !/Data$|^paymaster$/.test(name)),
  )
}

const deposit = (version: Version) => {
  const parameters = { address: entryPoints[version], abi, functionName: 'balanceOf' } as const
  return gateway.client.readContract({ ...parameters, args: [paymasters[version]] })
}

async function setDeposit(version: Version, wei: bigint): Promise<void> {
  const owner = privateKeyToAccount(devAccountOf.paymasterOwner.privateKey)
  const wallet = createWalletClient({ account: owner, transport: http(gateway.chain.nodeUrls[0]) }).extend(
    publicActions,
  )
  const change = wei - (await deposit(version))
  const paymaster = paymasters[version]
  const entryPoint = entryPoints[version]
  const call = { abi, chain: null } as const
  const hash = await (change < 0n
    ? wallet.writeContract({ ...call, address: paymaster, functionName: 'withdrawTo', args: [owner.address, -change] })
    : wallet.writeContract({
        ...call,
        address: entryPoint,
        functionName: 'depositTo',
        args: [paymaster],
        value: change,
      }))
  await waitForTransaction(wallet, hash)
  expect(await deposit(version)).toBe(wei)
}

const releaseAll = () =>
  Promise.all(
    versions.map((version) =>
      release(gateway.db, {
        chainId: gateway.chainId,
        entryPoint: entryPoints[version],
        scannedTo: new Date(Date.now() + 86_400_000),
      }),
    ),
  )

const refusedFor = (field: string) => ({
  code: -32501,
  data: { code: 'POLICY_REFUSED', rule: `factors.${field}`, field },
  message: expect.stringContaining(`${field} is `),
})

const big = (value: Hex | undefined) => BigInt(value ?? '0x0')
const open = async () => {
  const rows = await gateway.db.selectFrom('reservations').selectAll().where('state', '=', 'reserved').execute()
  return rows.map(({ sender, amount }) => ({ sender, amount }))
}

test.each(versions)(
  'keeps an API key from draining the deposit by preVerificationGas, entry point %s',
  async (version) => {
    const before = await deposit(version)
    // At current fees, the gas costs about as much as the deposit.
    const inflated = numberToHex(before / 2n / 2_000_000_000n)
    const operation = await minting(version)
    const settled = await settle(operation)
    const attempts: RpcReply[] = [
      await sponsor(operation, { overrides: { preVerificationGas: inflated } }),
      await sponsor(operation, { overrides: { preVerificationGas: { multiplier: 1_000_000 } } }),
      await sign(operation, { ...settled, preVerificationGas: inflated }),
    ]
    for (const { error } of attempts) expect(error).toMatchObject(refusedFor('preVerificationGas'))
    expect(await deposit(version)).toBe(before)
  },
)

test.each(versions)('refuses every field over its factor in both methods, entry point %s', async (version) => {
  const operation = await minting(version)
  const settled = await settle(operation)
  const held = (await open()).find(({ sender }) => sender === operation.sender.toLowerCase())
  for (const field of fields[version]) {
    const far = numberToHex(big(settled[field]) * 5n + 1n)
    expect((await sponsor(operation, { overrides: { [field]: far } })).error, field).toMatchObject(refusedFor(field))
    expect((await sign(operation, { ...settled, [field]: far })).error, field).toMatchObject(refusedFor(field))
  }
  expect((await open()).find(({ sender }) => sender === operation.sender.toLowerCase())).toEqual(held)
})

test.each(versions)('pays fee options and replacements of published clients, entry point %s', async (version) => {
  const overrides = Object.fromEntries(fields[version].map((field) => [field, { multiplier: 1.5 }]))
  const operation = await minting(version)
  let fees = await settle(operation, overrides)
  for (let replacement = 1; replacement <= 2; replacement++) {
    const raise = (name: string) => numberToHex((big(fees[name]) * 11n + 9n) / 10n)
    const raised = { maxFeePerGas: raise('maxFeePerGas'), maxPriorityFeePerGas: raise('maxPriorityFeePerGas') }
    fees = await settle(operation, { ...overrides, ...raised })
    expect(fees).toMatchObject(raised)
    expect((await sign(operation, fees)).error).toBeUndefined()
  }
})

test.each(versions)('reserves exactly what the entry point takes, entry point %s', async (version) => {
  await releaseAll()
  const before = await deposit(version)
  const operation = await minting(version)
  const gas = await settle(operation)
  // After signing, the deposit is set to exactly the cost, or to one wei less.
  const signed = await sign(operation, gas)
  const row = (await open()).find(({ sender }) => sender === operation.sender.toLowerCase())
  const cost = BigInt(row?.amount ?? 0)
  const send = () => signAndSend(gateway, operation, { ...gas, ...(signed.result as Record<string, Hex>) })
  await setDeposit(version, cost - 1n)
  expect((await send()).reply.error?.message).toContain('AA31')
  await setDeposit(version, cost)
  const { hash, reply } = await send()
  expect(reply).toMatchObject({ result: hash })
  expect(await gateway.waitForReceipt(hash)).toMatchObject({ success: true })
  await setDeposit(version, before)
})

test.each(versions)('refuses a deposit one wei short, entry point %s', async (version) => {
  await releaseAll()
  const before = await deposit(version)
  const first = await minting(version)
  const gas = await settle(first)
  const [row] = (await open()).filter(({ sender }) => sender === first.sender.toLowerCase())
  const cost = BigInt(row?.amount ?? 0)
  const second = await minting(version)
  const needed = cost * 2n
  await setDeposit(version, needed - 1n)
  const refused = await sign(second, gas)
  expect(refused.error).toMatchObject({
    code: -32508,
    data: { code: 'PAYMASTER_DEPOSIT_LOW' },
    message: expect.stringContaining(`${cost - 1n} wei, less what is reserved, and the operation needs ${cost} wei`),
  })
  expect((await open()).filter(({ sender }) => sender === second.sender.toLowerCase())).toEqual([])
  await setDeposit(version, needed)
  expect((await sign(second, gas)).error).toBeUndefined()
  await setDeposit(version, before)
})

test('names the refusing rule before it reserves anything', async () => {
  hits.length = 0
  const { db } = gateway
  const [operation, other] = [await minting('0.6.0'), await minting('0.7.0')]
  const selectors = [mint.data?.slice(0, 10) ?? '']
  const factory = devAddresses.lightAccount['v1.1.0'].factory
  await upsertPolicy(db, {
    projectId: 'app',
    id: 'shop',
    rules: { targets: [{ address: demo, selectors }], factories: [factory], limits: { sender: { day: { count: 1 } } } },
  })
  const policy = { policyId: 'shop' }
  expect((await sponsor(other, policy)).error).toMatchObject({ code: -32501, data: { rule: 'factories' } })
  const elsewhere = await lightOperation(gateway, '0.6.0', [mint, { to: entryPoints['0.6.0'], value: 0n }])
  expect((await sponsor(elsewhere, policy)).error).toMatchObject({ data: { rule: 'targets' } })
  expect((await open()).filter(({ sender }) => sender === elsewhere.sender.toLowerCase())).toEqual([])
  expect((await sponsor(operation, policy)).error).toBeUndefined()
  const second = { ...operation, userOperation: { ...operation.userOperation, nonce: '0x10000000000000000' as Hex } }
  expect((await sponsor(second, policy)).error).toMatchObject({ data: { rule: 'limits.sender.day.count', limit: '1' } })
  // Only refusals by a limit are reported to the project and counted.
  expect(hits).toEqual([{ limit: 'policy.limits.sender.day.count', projectId: 'app', policyId: 'shop' }])
  const figures = await (await respondWithMetrics(new Request('http://localhost/metrics'))).text()
  expect(figures).toMatch(/^latchkey_limits_hit_total\{limit="policy\.limits\.sender\.day\.count"\} [1-9]/m)
  await setPolicyPaused(db, 'app', 'shop', true)
  expect((await sponsor(operation, policy)).error).toMatchObject({ data: { rule: 'paused' } })
})

test('ends a signature with its policy', async () => {
  const validUntil = new Date(Date.now() + 120_000)
  const rules = { validUntil: validUntil.toISOString() }
  await upsertPolicy(gateway.db, { projectId: 'app', id: 'ending', rules })
  const operation = await minting('0.7.0')
  const { result } = await sponsor(operation, { policyId: 'ending' })
  const { paymasterData = '0x' } = result as Record<string, Hex>
  expect(BigInt(paymasterData.slice(0, 14))).toBe(BigInt(Math.floor(validUntil.getTime() / 1000)))
})

test('reserves nothing when signing fails', async () => {
  const operation = await minting('0.7.0')
  const signer = { ...gateway.deps.signer, signHash: () => Promise.reject(new TypeError('The key is away.')) }
  const request = { policyId: 'default', entryPoint: entryPoints['0.7.0'], overrides: {}, ...operation }
  const { error } = await gateway.ask(
    'alchemy_requestGasAndPaymasterAndData',
    [request],
    gatewayApp({ ...gateway.deps, signer }),
  )
  expect(error).toMatchObject({ code: -32603 })
  expect((await open()).filter(({ sender }) => sender === operation.sender.toLowerCase())).toEqual([])
})

test("asks the policy's webhook before it reserves anything", async () => {
  const asked: { userOperation: { sender: string } }[] = []
  let approved = false
  const webhook = await listen(async (request, response) => {
    asked.push(JSON.parse(await readBody(request)))
    response.end(JSON.stringify({ approved, reason: 'Not this week.' }))
  })
  const rules = { webhook: { url: webhook.url, otherwise: 'sponsor' as const } }
  await upsertPolicy(gateway.db, { projectId: 'app', id: 'asking', rules, isDeclared: true })
  const app = gatewayApp({ ...gateway.deps, webhookKey: new Uint8Array(32).fill(7) })
  const operation = await minting('0.7.0')
  const { sender } = operation.userOperation
  const request = { policyId: 'asking', entryPoint: entryPoints['0.7.0'], overrides: {}, ...operation }
  const ask = () => gateway.ask('alchemy_requestGasAndPaymasterAndData', [request], app)
  expect((await ask()).error).toMatchObject({ data: { rule: 'webhook' } })
  expect((await open()).filter((row) => row.sender === sender?.toLowerCase())).toEqual([])
  approved = true
  expect((await ask()).error).toBeUndefined()
  const senders = asked.map(({ userOperation }) => userOperation.sender)
  expect(senders).toEqual([sender?.toLowerCase(), sender?.toLowerCase()])
  await webhook.close()
})

test('keeps signatures valid for ten minutes of our clock on a chain without recent blocks', async () => {
  const { now } = Date
  const ahead = () => now() + 3_600_000
  Date.now = ahead
  const app = gatewayApp(gateway.deps)
  Date.now = now
  const request = { policyId: 'default', entryPoint: entryPoints['0.7.0'], overrides: {}, ...(await minting('0.7.0')) }
  const began = Math.floor(ahead() / 1000)
  const { result } = await gateway.ask('alchemy_requestGasAndPaymasterAndData', [request], app)
  const { paymasterData = '0x' } = result as Record<string, Hex>
  expect(Number(paymasterData.slice(0, 14))).toBeGreaterThanOrEqual(began + 600)
})

test.each(versions)(
  'refuses a withdrawal by anyone but the owner of the paymaster, entry point %s',
  async (version) => {
    const address = paymasters[version]
    const withdraw = (account: Hex) =>
      gateway.client.simulateContract({ address, abi, functionName: 'withdrawTo', args: [account, 1n], account })
    await withdraw(privateKeyToAccount(devAccountOf.paymasterOwner.privateKey).address)
    // OwnableUnauthorizedAccount(address)
    await expect(withdraw(`0x${'5e'.repeat(20)}`)).rejects.toThrow('0x118cdaa7')
  },
)
