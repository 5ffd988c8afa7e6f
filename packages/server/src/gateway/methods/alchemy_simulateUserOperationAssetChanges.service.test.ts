import { type Call, type LightOperation, lightOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { type RpcReply, startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import type { AssetChange, SimulateAssetChangesResult } from 'latchkey-protocol'
import {
  type Address,
  concat,
  encodeAbiParameters,
  encodeErrorResult,
  encodeFunctionData,
  getAddress,
  type Hex,
  parseAbi,
  parseEther,
} from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, expect } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

const { entryPoints, demo } = devAddresses
const versions = ['0.6.0', '0.7.0'] as const
const target = '0x000000000000000000000000000000000000dEaD'
const abi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
  'function transferOwnership(address newOwner)',
  'error InsufficientBalance(address owner, uint256 balance, uint256 needed)',
])
const encodeMint = (to: Address, amount: bigint) =>
  encodeFunctionData({ abi, functionName: 'mint', args: [to, amount] })
const encodeTransfer = (amount: bigint) => encodeFunctionData({ abi, functionName: 'transfer', args: [target, amount] })

const insufficientBalance = revertingCode(
  encodeErrorResult({ abi, errorName: 'InsufficientBalance', args: [target, 0n, 5n] }),
)

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())

const createOperation = (version: Version, calls: Call[] | ((sender: Address) => Call[])) =>
  lightOperation(gateway, version, calls)

function ask({ version, userOperation }: LightOperation, more: unknown[] = []): Promise<RpcReply> {
  return gateway.ask('alchemy_simulateUserOperationAssetChanges', [userOperation, entryPoints[version], ...more])
}

async function simulate(operation: LightOperation): Promise<SimulateAssetChangesResult> {
  const { result, error } = await ask(operation)
  expect(error).toBeUndefined()
  const { changes, error: failure } = result as SimulateAssetChangesResult
  // The node writes addresses without checksums.
  const read = changes.map((change): AssetChange => {
    const contractAddress = change.contractAddress && getAddress(change.contractAddress)
    return { ...change, from: getAddress(change.from), to: getAddress(change.to), contractAddress }
  })
  return { changes: read, ...(failure ? { error: failure } : {}) }
}

async function place(code: Hex): Promise<Address> {
  const address = privateKeyToAddress(generatePrivateKey())
  await gateway.client.request({ method: 'anvil_setCode', params: [address, code] } as never)
  return address
}

test.each(versions)('explains a failing call, entry point %s', async (version) => {
  const cases: [Call[], string | RegExp][] = [
    [
      [{ to: demo, data: encodeTransfer(parseEther('5')) }],
      'execution reverted: the account has 0 DEMO, and the call needs 5 DEMO',
    ],
    [
      [{ to: await place(insufficientBalance), data: '0x' }],
      /^execution reverted: InsufficientBalance\(0x[0-9a-fA-F]{40}, 0, 5\)$/,
    ],
    [[{ to: await place(reasonCode('out of stock')), data: '0x' }], 'execution reverted: out of stock'],
    [[{ to: await place('0x63deadbeef6000526004601cfd') }], 'execution reverted: 0xdeadbeef'],
    [[{ to: await place('0x60006000fd') }], 'execution reverted'],
    [[{ to: target, value: 5n }], 'execution reverted: the account has 0 ether and sends 0.000000000000000005 ether'],
    [
      [
        { to: demo, data: encodeMint(target, 1n) },
        { to: target, value: parseEther('1') },
      ],
      'execution reverted: the account has 0 ether and sends 1 ether',
    ],
  ]
  for (const [calls, message] of cases) {
    const { changes, error } = await simulate(await createOperation(version, calls))
    expect(changes).toEqual([])
    if (typeof message === 'string') expect(error?.message).toBe(message)
    else expect(error?.message).toMatch(message)
  }
})

function reasonCode(reason: string): Hex {
  return revertingCode(concat(['0x08c379a0', encodeAbiParameters([{ type: 'string' }], [reason])]))
}

function revertingCode(data: Hex): Hex {
  const length = ((data.length - 2) / 2).toString(16).padStart(2, '0')
  // codecopy(0, 12, length); revert(0, length)
  return `0x60${length}600c60003960${length}6000fd${data.slice(2)}`
}

test("calls the account as the entry point, which has the owner's rights", async () => {
  const operation = await createOperation('0.7.0', [])
  const callData = encodeFunctionData({ abi, functionName: 'transferOwnership', args: [target] })
  const result = await simulate({ ...operation, userOperation: { ...operation.userOperation, callData } })
  expect(result).toEqual({ changes: [] })
})

test('explains accounts that cannot be deployed or belong to others', async () => {
  const operation = await createOperation('0.7.0', [])
  const making = (more: Record<string, Hex>) =>
    simulate({ ...operation, userOperation: { ...operation.userOperation, ...more } })
  expect((await making({ factoryData: '0xdeadbeef' })).error?.message).toMatch(
    /^AA13 initCode failed: execution reverted/,
  )
  expect((await making({ sender: target })).error?.message).toBe('AA14 initCode must return sender')
})

test('gives the call the gas of a transaction, not of the node', async () => {
  const place = '0x00000000000000000000000000000000000ca511'
  // The code reverts with the remaining gas.
  await gateway.request('anvil_setCode', [place, '0x5a60005260206000fd'])
  const { error } = await simulate(await createOperation('0.7.0', [{ to: place }]))
  const [left = '0x0'] = /0x[0-9a-f]{64}/.exec(error?.message ?? '') ?? []
  expect(BigInt(left)).toBeGreaterThan(15_000_000n)
  expect(BigInt(left)).toBeLessThan(2n ** 24n)
})

test("reports the chain's native currency", async () => {
  const operation = await createOperation('0.7.0', [{ to: target, value: 1500n }])
  await gateway.setBalance(operation.sender, parseEther('1'))
  const app = gateway.withChain({ nativeCurrency: { name: 'Pebble', symbol: 'PBL', decimals: 3 } })
  const params = [operation.userOperation, entryPoints['0.7.0']]
  const { result } = await gateway.ask('alchemy_simulateUserOperationAssetChanges', params, app)
  const [change] = (result as SimulateAssetChangesResult).changes
  expect(change).toMatchObject({ symbol: 'PBL', name: 'Pebble', decimals: 3, amount: '1.5', rawAmount: '1500' })
})
