import { randomBytes } from 'node:crypto'
import { startTestChain } from '@latchkey/testkit/chain'
import { startTestDatabase } from '@latchkey/testkit/database'
import { ownPaymasters } from '@latchkey/testkit/gateway/paymasters'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import {
  type Address,
  concatHex,
  createTestClient,
  createWalletClient,
  encodeFunctionData,
  type Hex,
  http,
  numberToHex,
  parseAbi,
  parseEther,
  publicActions,
} from 'viem'
import { getUserOperationHash, type UserOperation } from 'viem/account-abstraction'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAccountOf, devAccounts } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { localServiceSigner } from '../../keys/serviceSigner.ts'
import { upsertPolicy } from '../../store/books/policies.ts'
import { openStore, type Store } from '../../store/openStore.ts'
import { upsertProject } from '../../store/upsertProject.ts'
import { gatewayApp } from '../app.ts'
import type { ChainOptions } from '../chains/ChainOptions.ts'

const entryPoint = devAddresses.entryPoints['0.6.0']
const paymaster = devAddresses.paymasters['0.6.0']
const { factory } = devAddresses.lightAccount['v1.1.0']
/** The constant every client of the field sends while it has no signature. */
const dummySignature =
  '0xfffffffffffffffffffffffffffffff0000000000000000000000000000000007aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1c'
const apiKey = randomBytes(16).toString('hex')

const abi = parseAbi([
  'function createAccount(address owner, uint256 salt)',
  'function getAddress(address owner, uint256 salt) view returns (address)',
  'function execute(address dest, uint256 value, bytes func)',
  'function mint(address to, uint256 amount)',
  'function balanceOf(address account) view returns (uint256)',
  'function withdrawTo(address to, uint256 amount)',
])

let chain: Awaited<ReturnType<typeof startTestChain>>
let database: Awaited<ReturnType<typeof startTestDatabase>>
let store: Store
let gateway: ReturnType<typeof gatewayApp>

function chainOptions(): ChainOptions {
  const { chainId, nodeUrl, bundlerUrl } = chain
  return { chainId, nodeUrls: [nodeUrl], bundlerUrls: [bundlerUrl], paymasters: ownPaymasters }
}

function deps(change: Partial<ChainOptions> = {}): gatewayApp.Deps {
  return {
    db: store.db,
    chains: [{ ...chainOptions(), ...change }],
    signer: localServiceSigner({ key: devAccountOf.paymasterSigner.privateKey }),
  }
}

beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain({ bundler: true }), startTestDatabase({ migrated: true })])
  store = await openStore({ databaseUrl: database.url })
  await upsertProject(store.db, { id: 'app', name: 'App', apiKey, redirectUrls: [], allowedOrigins: [] })
  await upsertPolicy(store.db, { projectId: 'app', id: 'default', isDefault: true })
  gateway = gatewayApp(deps())
})

afterAll(async () => {
  await store?.close()
  await database?.close()
  await chain?.close()
})

type RpcReply = { result?: unknown; error?: { code: number; message: string; data?: { code?: string } } }

async function ask(method: string, params: unknown, app = gateway): Promise<RpcReply> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await app.request(`/v2/${apiKey}`, { method: 'POST', body })
  return (await response.json()) as RpcReply
}

const client = () => createTestClient({ mode: 'anvil', transport: http(chain.nodeUrl) }).extend(publicActions)

/** A new light account, which mints 100 DEMO to itself. */
async function freshOperation() {
  const owner = privateKeyToAccount(generatePrivateKey())
  const sender = await client().readContract({
    address: factory,
    abi,
    functionName: 'getAddress',
    args: [owner.address, 0n],
  })
  const mint = encodeFunctionData({ abi, functionName: 'mint', args: [sender, parseEther('100')] })
  const initCode = concatHex([
    factory,
    encodeFunctionData({ abi, functionName: 'createAccount', args: [owner.address, 0n] }),
  ])
  const callData = encodeFunctionData({ abi, functionName: 'execute', args: [devAddresses.demo, 0n, mint] })
  // As 3.14.1 sends it: with the dummy paymaster data of its own, and no gas fields.
  const userOperation = { initCode, sender, nonce: '0x0', callData, signature: dummySignature, paymasterAndData: '0x' }
  return { owner, sender, userOperation }
}

async function sponsor(userOperation: object, more: object = {}, app = gateway): Promise<RpcReply> {
  const request = { policyId: 'default', entryPoint, userOperation, dummySignature, overrides: {}, ...more }
  return ask('alchemy_requestGasAndPaymasterAndData', [request], app)
}

async function signAndSend(operation: Awaited<ReturnType<typeof freshOperation>>, filled: Record<string, Hex>) {
  const request = { ...operation.userOperation, ...filled }
  const hash = hashOf(request)
  const signature = await operation.owner.signMessage({ message: { raw: hash } })
  return { hash, reply: await ask('eth_sendUserOperation', [{ ...request, signature }, entryPoint]) }
}

function hashOf(request: Record<string, string>): Hex {
  const big = (name: string) => BigInt(request[name] ?? '0x0')
  return getUserOperationHash({
    chainId: chain.chainId,
    entryPointAddress: entryPoint,
    entryPointVersion: '0.6',
    userOperation: {
      ...(request as unknown as UserOperation<'0.6'>),
      nonce: big('nonce'),
      callGasLimit: big('callGasLimit'),
      verificationGasLimit: big('verificationGasLimit'),
      preVerificationGas: big('preVerificationGas'),
      maxFeePerGas: big('maxFeePerGas'),
      maxPriorityFeePerGas: big('maxPriorityFeePerGas'),
    },
  })
}

async function waitForReceipt(hash: Hex) {
  for (let attempt = 0; attempt < 1_200; attempt++) {
    const { result } = await ask('eth_getUserOperationReceipt', [hash])
    if (result) return result as { success: boolean; paymaster: Address; actualGasCost: Hex }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return undefined
}

test('default', async () => {
  const operation = await freshOperation()
  const { result, error } = await sponsor(operation.userOperation)
  expect(error).toBeUndefined()
  const filled = result as Record<string, Hex>
  expect(Object.keys(filled).sort()).toEqual([
    'callGasLimit',
    'maxFeePerGas',
    'maxPriorityFeePerGas',
    'paymasterAndData',
    'preVerificationGas',
    'verificationGasLimit',
  ])
  // Minimal hex; paymaster ‖ word ‖ 65-byte signature.
  for (const [name, value] of Object.entries(filled))
    if (name !== 'paymasterAndData') expect(value).toMatch(/^0x[1-9a-f][0-9a-f]*$/)
  expect(filled.paymasterAndData).toMatch(new RegExp(`^${paymaster}[0-9a-f]{24}0{40}[0-9a-f]{130}$`, 'i'))

  const { hash, reply } = await signAndSend(operation, filled)
  expect(reply).toMatchObject({ result: hash })
  const receipt = await waitForReceipt(hash)
  expect(receipt).toMatchObject({ success: true })
  expect(receipt?.paymaster.toLowerCase()).toBe(paymaster.toLowerCase())
  const balance = (address: Address) =>
    client().readContract({ address, abi, functionName: 'balanceOf', args: [operation.sender] })
  expect(await balance(devAddresses.demo)).toBe(parseEther('100'))
  // The account had nothing, has nothing, and owes nothing.
  expect(await balance(entryPoint)).toBe(0n)
  expect(await client().getBalance({ address: operation.sender })).toBe(0n)
  expect(await client().getCode({ address: operation.sender })).toMatch(/^0x[0-9a-f]+/)

  const row = await store.db
    .selectFrom('sponsorships')
    .selectAll()
    .where('user_op_hash', '=', hash)
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({ project_id: 'app', policy_id: 'default', state: 'signed', chain_id: '31337', nonce: '0' })
  expect(row.sender).toBe(operation.sender.toLowerCase())
  expect(BigInt(row.max_cost)).toBeGreaterThanOrEqual(BigInt(receipt?.actualGasCost ?? '0x0'))
  const validFor = row.valid_until.getTime() - Date.now()
  expect(validFor).toBeGreaterThan(500_000)
  expect(validFor).toBeLessThan(660_000)
})

test('behavior: fees follow the latest block and the reported priority fee', async () => {
  const { userOperation } = await freshOperation()
  await client().mine({ blocks: 1 })
  const [{ result }, { result: tip }, { baseFeePerGas }] = await Promise.all([
    sponsor(userOperation),
    ask('rundler_maxPriorityFeePerGas', []),
    client().getBlock(),
  ])
  const filled = result as Record<string, Hex>
  expect(filled.maxPriorityFeePerGas).toBe(tip)
  expect(BigInt(filled.maxFeePerGas ?? '0x0')).toBe(((baseFeePerGas ?? 0n) * 3n + 1n) / 2n + BigInt(tip as Hex))
})

test('param: overrides', async () => {
  const operation = await freshOperation()
  const plain = await sponsor(operation.userOperation)
  const was = plain.result as Record<string, Hex>
  const verificationGasLimit = numberToHex(BigInt(was.verificationGasLimit ?? '0x0') * 2n)
  const overrides = {
    maxFeePerGas: '0x77359400',
    maxPriorityFeePerGas: { multiplier: 1.15 },
    callGasLimit: { multiplier: 1.5 },
    verificationGasLimit,
    preVerificationGas: { multiplier: 1.0001 },
  }
  const changed = await sponsor(operation.userOperation, { overrides })
  const filled = changed.result as Record<string, Hex>
  const up = (value: Hex | undefined, by: bigint, of: bigint) => (BigInt(value ?? '0x0') * by + of - 1n) / of
  expect(filled.maxFeePerGas).toBe('0x77359400')
  expect(filled.verificationGasLimit).toBe(verificationGasLimit)
  expect(BigInt(filled.maxPriorityFeePerGas ?? '0x0')).toBe(up(was.maxPriorityFeePerGas, 115n, 100n))
  expect(BigInt(filled.callGasLimit ?? '0x0')).toBe(up(was.callGasLimit, 15n, 10n))
  expect(BigInt(filled.preVerificationGas ?? '0x0')).toBe(up(was.preVerificationGas, 10_001n, 10_000n))

  const { hash, reply } = await signAndSend(operation, filled)
  expect(reply).toMatchObject({ result: hash })
  expect(await waitForReceipt(hash)).toMatchObject({ success: true })
})

test('error: a signature made for one operation does not pay for another', async () => {
  const operation = await freshOperation()
  const { result } = await sponsor(operation.userOperation)
  const other = encodeFunctionData({ abi, functionName: 'mint', args: [operation.sender, parseEther('1000')] })
  operation.userOperation.callData = encodeFunctionData({
    abi,
    functionName: 'execute',
    args: [devAddresses.demo, 0n, other],
  })
  const { reply } = await signAndSend(operation, result as Record<string, Hex>)
  expect(reply.error?.code).toBe(-32507)
})

test('error: a call that reverts, in the words of the bundler', async () => {
  const { userOperation } = await freshOperation()
  const { paymasterAndData } = (await sponsor(userOperation)).result as Record<string, Hex>
  const callData = encodeFunctionData({ abi, functionName: 'execute', args: [devAddresses.demo, 0n, '0xdeadbeef'] })
  const [ours, theirs] = await Promise.all([
    sponsor({ ...userOperation, callData }),
    ask('eth_estimateUserOperationGas', [{ ...userOperation, callData, paymasterAndData }, entryPoint]),
  ])
  expect(theirs.error?.code).toBe(-32521)
  expect(ours.error).toEqual(theirs.error)
})

test('error: an unknown policy, a foreign entry point, malformed values', async () => {
  const { userOperation } = await freshOperation()
  const foreign = devAccounts[1].address
  const cases: [object, string, string][] = [
    [{ policyId: 'theirs' }, 'POLICY_NOT_FOUND', 'theirs'],
    [{ entryPoint: foreign }, 'ENTRY_POINT_NOT_FOUND', foreign],
    [{ entryPoint: '0x12' }, 'REQUEST_INVALID', 'entryPoint'],
    [{ overrides: { maxFeePerGas: { multiplier: 1.00001 } } }, 'MULTIPLIER_INVALID', '4 decimals'],
    [{ overrides: { callGasLimit: `0x1${'0'.repeat(30)}` } }, 'REQUEST_INVALID', 'overrides.callGasLimit'],
    [{ dummySignature: '0xzz' }, 'REQUEST_INVALID', 'dummySignature'],
    [{ userOperation: { ...userOperation, nonce: '7' } }, 'REQUEST_INVALID', 'userOperation.nonce'],
    [{ userOperation: { ...userOperation, callData: '0x1' } }, 'REQUEST_INVALID', 'userOperation.callData'],
  ]
  for (const [more, code, text] of cases) {
    const { error } = await sponsor(userOperation, more)
    expect(error).toMatchObject({ code: -32602, data: { code }, message: expect.stringContaining(text) })
  }
})

test('error: a deposit that is too low, before anything is signed', async () => {
  const owner = privateKeyToAccount(devAccountOf.paymasterOwner.privateKey)
  const wallet = createWalletClient({ account: owner, transport: http(chain.nodeUrl) })
  const { userOperation } = await freshOperation()
  const snapshot = await client().readContract({
    address: entryPoint,
    abi,
    functionName: 'balanceOf',
    args: [paymaster],
  })
  const rows = () => store.db.selectFrom('sponsorships').select('id').execute()
  const before = await rows()
  const withdraw = (amount: bigint) =>
    wallet.writeContract({
      address: paymaster,
      abi,
      functionName: 'withdrawTo',
      args: [owner.address, amount],
      chain: null,
    })
  const deposit = parseAbi(['function depositTo(address account) payable'])
  // Once all of it, once all but a little.
  for (const left of [0n, 1_000n]) {
    await waitForTransaction(client(), await withdraw(snapshot - left))
    const { error } = await sponsor(userOperation)
    expect(error).toMatchObject({
      code: -32508,
      data: { code: 'PAYMASTER_DEPOSIT_LOW' },
      message: expect.stringContaining('must deposit more'),
    })
    const refill = await wallet.writeContract({
      address: entryPoint,
      abi: deposit,
      functionName: 'depositTo',
      args: [paymaster],
      value: snapshot - left,
      chain: null,
    })
    await waitForTransaction(client(), refill)
  }
  expect(await rows()).toEqual(before)
  expect((await sponsor(userOperation)).error).toBeUndefined()
})

test('error: the bundler or the node is down', async () => {
  const { userOperation } = await freshOperation()
  const noBundler = gatewayApp(deps({ bundlerUrls: ['http://127.0.0.1:1/key'] }))
  const noNode = gatewayApp(deps({ nodeUrls: ['http://127.0.0.1:1/key'] }))
  for (const [app, code] of [[noBundler, 'BUNDLER_UNREACHABLE'] as const, [noNode, 'NODE_UNREACHABLE'] as const]) {
    const { error } = await sponsor(userOperation, {}, app)
    expect(error).toMatchObject({ code: -32002, data: { code } })
    expect(error?.message).not.toContain('127.0.0.1')
  }
  expect((await ask('eth_sendUserOperation', [userOperation, entryPoint], noBundler)).error).toMatchObject({
    data: { code: 'BUNDLER_UNREACHABLE' },
  })
  // What needs no bundler goes on.
  expect(await ask('eth_chainId', [], noBundler)).toMatchObject({ result: '0x7a69' })
})

test('behavior: on a chain ahead of the clock, the signature still holds', async () => {
  await client().increaseTime({ seconds: 30 * 24 * 3600 })
  await client().mine({ blocks: 1 })
  const operation = await freshOperation()
  const { result } = await sponsor(operation.userOperation)
  const { hash, reply } = await signAndSend(operation, result as Record<string, Hex>)
  expect(reply).toMatchObject({ result: hash })
  expect(await waitForReceipt(hash)).toMatchObject({ success: true })
})
