import { readArtifact } from '@latchkey/testkit/chain'
import { type Call, lightOperation, type Version } from '@latchkey/testkit/gateway/lightOperation'
import { startLimitedNode } from '@latchkey/testkit/gateway/startLimitedNode'
import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { waitForTransaction } from '@latchkey/testkit/waitForTransaction'
import { test } from '@latchkey/testkit/worker'
import type { AssetChange, SimulateAssetChangesResult } from 'latchkey-protocol'
import {
  type Address,
  createWalletClient,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  http,
  parseAbi,
  parseEther,
  zeroAddress,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, expect } from 'vitest'
import { devAccounts } from '../../../../dev/src/chain/devAccounts.ts'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'

/** Runs each simulation by both methods that nodes offer. */

const { demo, entryPoints } = devAddresses
const target = getAddress('0x000000000000000000000000000000000000dead')
const versions = ['0.6.0', '0.7.0'] as const
const method = 'alchemy_simulateUserOperationAssetChanges'
const relayAbi = parseAbi(['function pass(address[] path) payable', 'function passAndRevert(address to) payable'])
const tokenAbi = parseAbi([
  'function give(address to, uint256 amount)',
  'function mint(address to, uint256 amount)',
  'function transfer(address to, uint256 amount) returns (bool)',
  'function approve(address spender, uint256 amount) returns (bool)',
])

let gateway: TestGateway
type LimitedNode = Awaited<ReturnType<typeof startLimitedNode>>
let tracing: LimitedNode
let simulating: LimitedNode
let unable: LimitedNode
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
  const [nodeUrl = ''] = gateway.chain.nodeUrls
  tracing = await startLimitedNode({ nodeUrl, without: ['eth_simulateV1'] })
  simulating = await startLimitedNode({ nodeUrl, without: ['debug_traceCall'] })
  unable = await startLimitedNode({ nodeUrl, without: ['eth_simulateV1', 'debug_traceCall'] })
})
afterAll(async () => {
  await tracing?.close()
  await simulating?.close()
  await unable?.close()
  await gateway?.close()
})

async function deploy(name: string, args: readonly unknown[] = []): Promise<Address> {
  const { abi, bytecode } = readArtifact(name)
  const account = privateKeyToAccount(devAccounts[1].privateKey)
  const [nodeUrl = ''] = gateway.chain.nodeUrls
  const wallet = createWalletClient({ account, transport: http(nodeUrl) })
  const hash = await wallet.sendTransaction({ data: encodeDeployData({ abi, bytecode, args }), chain: null })
  const receipt = await waitForTransaction(gateway.client, hash)
  return getAddress(receipt.contractAddress ?? zeroAddress)
}

/** Simulates by each method alone and by the gateway's preferred one. The results must agree. */
async function simulate(
  version: Version,
  calls: Call[] | ((sender: Address) => Call[]),
  nodes: readonly LimitedNode[] = [tracing, simulating],
) {
  const { userOperation, sender } = await lightOperation(gateway, version, calls)
  await gateway.setBalance(sender, parseEther('10'))
  const params = [userOperation, entryPoints[version]]
  const { result, error } = await gateway.ask(method, params)
  expect(error).toBeUndefined()
  for (const { url } of nodes) {
    const reply = await gateway.ask(method, params, gateway.withChain({ nodeUrls: [url] }))
    expect(checksummed(reply.result)).toEqual(checksummed(result))
  }
  return { ...checksummed(result), sender }
}

function checksummed(result: unknown): SimulateAssetChangesResult {
  const { changes, ...rest } = result as SimulateAssetChangesResult
  const toRead = (change: AssetChange): AssetChange => ({
    ...change,
    from: getAddress(change.from),
    to: getAddress(change.to),
    contractAddress: change.contractAddress && getAddress(change.contractAddress),
  })
  return { ...rest, changes: changes.map(toRead) }
}

test.each(versions)('lists coin and token changes in order, entry point %s', async (version) => {
  const { changes, sender } = await simulate(version, (account) => [
    { to: demo, data: encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [account, parseEther('3')] }) },
    { to: target, value: 5n },
    { to: demo, data: encodeFunctionData({ abi: tokenAbi, functionName: 'approve', args: [target, 9n] }) },
    { to: demo, data: encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [target, 7n] }) },
  ])
  const token = { assetType: 'ERC20', symbol: 'DEMO', decimals: 18, name: 'Demo', contractAddress: demo }
  expect(changes).toMatchObject([
    { ...token, changeType: 'TRANSFER', from: zeroAddress, to: sender, amount: '3' },
    { assetType: 'NATIVE', changeType: 'TRANSFER', from: sender, to: target, rawAmount: '5', symbol: 'ETH' },
    { ...token, changeType: 'APPROVE', from: sender, to: target, rawAmount: '9' },
    { ...token, changeType: 'TRANSFER', from: sender, to: target, rawAmount: '7' },
  ])
})

test.each(versions)('lists a transfer three calls deep, entry point %s', async (version) => {
  const [one, two] = [await deploy('Relay'), await deploy('Relay')]
  const data = encodeFunctionData({ abi: relayAbi, functionName: 'pass', args: [[two, target]] })
  const { changes, sender } = await simulate(version, [{ to: one, value: 11n, data }])
  const moved = { assetType: 'NATIVE', changeType: 'TRANSFER', rawAmount: '11' }
  expect(changes).toMatchObject([
    { ...moved, from: sender, to: one },
    { ...moved, from: one, to: two },
    { ...moved, from: two, to: target },
  ])
})

test.each(versions)('omits a transfer in a call whose revert was caught, entry point %s', async (version) => {
  const relay = await deploy('Relay')
  const data = encodeFunctionData({ abi: relayAbi, functionName: 'passAndRevert', args: [target] })
  // Simulates only by trace, since `eth_simulateV1` of anvil reports the reverted transfer.
  const { changes, sender, error } = await simulate(version, [{ to: relay, value: 11n, data }], [tracing])
  expect(error).toBeUndefined()
  expect(changes).toMatchObject([{ assetType: 'NATIVE', from: sender, to: relay, rawAmount: '11' }])
})

test.each([true, false])('lists what arrives from a token with a fee, honest: %s', async (isHonest) => {
  const token = await deploy('FeeToken', [isHonest])
  const { changes, sender } = await simulate('0.7.0', (account) => [
    { to: token, data: encodeFunctionData({ abi: tokenAbi, functionName: 'give', args: [account, 1000n] }) },
  ])
  const known = { assetType: 'ERC20', symbol: 'FEE', decimals: 6, contractAddress: token }
  expect(changes[0]).toMatchObject({ ...known, from: token, to: sender, rawAmount: '900', amount: '0.0009' })
  expect(changes).toHaveLength(isHonest ? 2 : 1)
})

test('lets the account call the entry point during simulation', async () => {
  const data = encodeFunctionData({
    abi: parseAbi(['function depositTo(address account) payable']),
    functionName: 'depositTo',
    args: [target],
  })
  const { changes, sender } = await simulate('0.7.0', [{ to: entryPoints['0.7.0'], value: 3n, data }])
  expect(changes).toMatchObject([{ from: sender, to: entryPoints['0.7.0'], rawAmount: '3' }])
})

test('refuses to simulate on a node with neither method', async () => {
  const app = gateway.withChain({ nodeUrls: [unable.url] })
  const { userOperation } = await lightOperation(gateway, '0.7.0', [])
  const { error } = await gateway.ask(method, [userOperation, entryPoints['0.7.0']], app)
  expect(error).toMatchObject({
    code: -32601,
    data: { code: 'METHOD_NOT_SUPPORTED' },
    message: expect.stringMatching(/neither eth_simulateV1 nor debug_traceCall/),
  })
})
