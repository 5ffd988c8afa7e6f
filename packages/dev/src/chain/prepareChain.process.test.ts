import { createServer } from 'node:http'
import { buildContracts, cacheDir } from '@latchkey/testkit/chain'
import { encodeFunctionData, getContractAddress, parseAbi, parseEther, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../devnet/freePorts.ts'
import { devAccountOf, devAccounts } from './devAccounts.ts'
import { devAddresses } from './devAddresses.ts'
import { devClient } from './devClient.ts'
import { prepareChain } from './prepareChain.ts'
import { rpc } from './rpc.ts'
import { spawnAnvil } from './spawnAnvil.ts'

const abi = parseAbi([
  'function owner() view returns (address)',
  'function signer() view returns (address)',
  'function verifyingSigner() view returns (address)',
  'function entryPoint() view returns (address)',
  'struct DepositInfo { uint256 deposit; bool staked; uint112 stake; uint32 unstakeDelaySec; uint48 withdrawTime; }',
  'function getDepositInfo(address account) view returns (DepositInfo info)',
  'function withdrawTo(address to, uint256 amount)',
])
// Id of a public network, which anvil accepts.
const chainId = 11155111

const paymasters = [
  ...(['0.6.0', '0.7.0', '0.8.0', '0.9.0'] as const).map(
    (version) => [version, devAddresses.paymasters[version], 'signer'] as const,
  ),
  ...(['0.6.0', '0.7.0'] as const).map(
    (version) => [version, devAddresses.samplePaymasters[version], 'verifyingSigner'] as const,
  ),
]

let node: spawnAnvil.ReturnType
const request = <result>(method: string, params: readonly unknown[] = []) =>
  rpc<result>({ url: node.url, method, params })
const connect = (account: { privateKey: `0x${string}` }) =>
  devClient({ rpcUrl: node.url, chainId, privateKey: account.privateKey })

beforeAll(async () => {
  buildContracts()
  node = await spawnAnvil({ port: await freePorts(1), chainId })
  // Simulates a fork of a public network: a used deployer, another contract at a paymaster's address, and a delegated
  // account.
  await request('anvil_setNonce', [devAccountOf.paymasterOwner.address, '0x20'])
  await request('anvil_setCode', [devAddresses.paymasters['0.6.0'], '0x00'])
  await request('anvil_setCode', [devAccounts[0].address, `0xef0100${'11'.repeat(20)}`])
  await request('anvil_setBalance', [devAccounts[0].address, '0x1'])
})
afterAll(() => node.close())

test('places paymasters with stake and deposit, and clears the ready accounts', async () => {
  expect(await prepareChain({ rpcUrl: node.url, cacheDir })).toBe(devAddresses)
  const { read } = connect(devAccounts[1])
  for (const [version, address, functionName] of paymasters) {
    const paymaster = { address, abi } as const
    const entryPoint = devAddresses.entryPoints[version]
    expect(await read.readContract({ ...paymaster, functionName: 'owner' })).toBe(devAccounts[8].address)
    expect(await read.readContract({ ...paymaster, functionName })).toBe(devAccounts[9].address)
    expect(await read.readContract({ ...paymaster, functionName: 'entryPoint' })).toBe(entryPoint)
    const args = [paymaster.address] as const
    const info = await read.readContract({ address: entryPoint, abi, functionName: 'getDepositInfo', args })
    expect(info).toMatchObject({
      deposit: parseEther('100'),
      staked: true,
      stake: parseEther('10'),
      unstakeDelaySec: 86_400,
    })
  }
  expect(await read.getCode({ address: devAccounts[0].address })).toBeUndefined()
  expect(await read.getBalance({ address: devAccounts[0].address })).toBe(parseEther('10000'))
})

test('changes nothing the second time except refilling a low deposit', async () => {
  const { read, transact } = connect(devAccountOf.paymasterOwner)
  const before = await read.getBlockNumber()
  await prepareChain({ rpcUrl: node.url, cacheDir })
  expect(await read.getBlockNumber()).toBe(before)

  const address = devAddresses.paymasters['0.6.0']
  const args = [devAccounts[8].address, parseEther('95')] as const
  await transact({ to: address, data: encodeFunctionData({ abi, functionName: 'withdrawTo', args }) })
  await prepareChain({ rpcUrl: node.url, cacheDir })
  const entryPoint = devAddresses.entryPoints['0.6.0']
  const info = await read.readContract({ address: entryPoint, abi, functionName: 'getDepositInfo', args: [address] })
  expect(info.deposit).toBe(parseEther('105'))
})

test('places public factories of simple accounts at their public addresses', async () => {
  const { read } = connect(devAccounts[1])
  const abi = parseAbi([
    'function accountImplementation() view returns (address)',
    'function getAddress(address owner, uint256 salt) view returns (address)',
  ])
  for (const version of ['0.6.0', '0.7.0'] as const) {
    const factory = { address: devAddresses.simpleAccountFactories[version], abi } as const
    const implementation = await read.readContract({ ...factory, functionName: 'accountImplementation' })
    // The factory's first creation is the implementation, as on public chains.
    expect(implementation).toBe(getContractAddress({ from: factory.address, nonce: 1n }))
    expect(await read.getCode({ address: implementation })).toBeDefined()
    const args = [devAccounts[0].address, 0n] as const
    expect(await read.readContract({ ...factory, functionName: 'getAddress', args })).toMatch(/^0x[0-9a-fA-F]{40}$/)
  }
})

test('places the paymasters at the addresses that account 8 would create', () => {
  const from = devAccounts[8].address
  const addresses = [...Object.values(devAddresses.paymasters), ...Object.values(devAddresses.samplePaymasters)]
  expect(addresses).toEqual([0n, 1n, 4n, 5n, 2n, 3n].map((nonce) => getContractAddress({ from, nonce })))
})

/** Starts a fake node that responds only to these methods. */
async function foreignNode(answers: Record<string, string>) {
  const asked: string[] = []
  const server = createServer(async (incoming, outgoing) => {
    let body = ''
    for await (const chunk of incoming) body += chunk
    const { method, id } = JSON.parse(body) as { method: string; id: number }
    asked.push(method)
    const result = answers[method]
    const error = { code: -32601, message: `the method ${method} does not exist` }
    outgoing.end(JSON.stringify({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) }))
  })
  const port = await freePorts(1)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${port}`, asked, close: () => new Promise((resolve) => server.close(resolve)) }
}

test('refuses a public network that is not an anvil, before changing anything', async () => {
  for (const id of [1, 11155111, 8453]) {
    const foreign = await foreignNode({ eth_chainId: toHex(id), web3_clientVersion: 'Geth/v1.16.4' })
    const prepared = prepareChain({ rpcUrl: foreign.url, cacheDir })
    await expect(prepared).rejects.toMatchObject({
      code: 'PUBLIC_CHAIN_REFUSED',
      message: expect.stringContaining(`Chain id ${id}`),
    })
    expect(foreign.asked).toEqual(['eth_chainId', 'web3_clientVersion'])
    await foreign.close()
  }
})

test('refuses a private chain without anvil methods', async () => {
  const foreign = await foreignNode({ eth_chainId: toHex(31337), web3_clientVersion: 'Geth/v1.16.4' })
  const prepared = prepareChain({ rpcUrl: foreign.url, cacheDir })
  await expect(prepared).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('has no anvil methods'),
  })
  await foreign.close()
})

test("keeps the URL's key out of the message about a missing node", async () => {
  const port = await freePorts(1)
  const failure = await prepareChain({ rpcUrl: `http://127.0.0.1:${port}/v2/secret-key`, cacheDir }).catch(
    (error: Error) => error,
  )
  expect(failure).toMatchObject({
    code: 'NODE_UNREACHABLE',
    message: `No JSON-RPC response from http://127.0.0.1:${port}.`,
  })
})
