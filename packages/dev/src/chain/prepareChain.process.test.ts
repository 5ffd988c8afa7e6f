import { createServer } from 'node:http'
import { buildContracts } from '@latchkey/testkit/chain'
import { encodeFunctionData, getContractAddress, parseAbi, parseEther, toHex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePorts } from '../world/freePorts.ts'
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
// An id of a public network: an anvil may have any.
const chainId = 11155111

/** All, with the function that names the key they believe. */
const paymasters = (['0.6.0', '0.7.0'] as const).flatMap((version) => [
  [version, devAddresses.paymasters[version], 'signer'] as const,
  [version, devAddresses.samplePaymasters[version], 'verifyingSigner'] as const,
])

let node: spawnAnvil.ReturnType
const request = <result>(method: string, params: readonly unknown[] = []) =>
  rpc<result>({ url: node.url, method, params })
const connect = (account: { privateKey: `0x${string}` }) =>
  devClient({ rpcUrl: node.url, chainId, privateKey: account.privateKey })

beforeAll(async () => {
  buildContracts()
  node = await spawnAnvil({ port: await freePorts(1), chainId })
  // As on a copy of a public network: a used deployer, a contract where a paymaster goes, an account that gives all away.
  await request('anvil_setNonce', [devAccountOf.paymasterOwner.address, '0x20'])
  await request('anvil_setCode', [devAddresses.paymasters['0.6.0'], '0x00'])
  await request('anvil_setCode', [devAccounts[0].address, `0xef0100${'11'.repeat(20)}`])
  await request('anvil_setBalance', [devAccounts[0].address, '0x1'])
})
afterAll(() => node.close())

test('default', async () => {
  expect(await prepareChain({ rpcUrl: node.url })).toBe(devAddresses)
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

test('behavior: a second time changes nothing, except that it fills up a paymaster that ran low', async () => {
  const { read, transact } = connect(devAccountOf.paymasterOwner)
  const before = await read.getBlockNumber()
  await prepareChain({ rpcUrl: node.url })
  expect(await read.getBlockNumber()).toBe(before)

  const address = devAddresses.paymasters['0.6.0']
  const args = [devAccounts[8].address, parseEther('95')] as const
  await transact({ to: address, data: encodeFunctionData({ abi, functionName: 'withdrawTo', args }) })
  await prepareChain({ rpcUrl: node.url })
  const entryPoint = devAddresses.entryPoints['0.6.0']
  const info = await read.readContract({ address: entryPoint, abi, functionName: 'getDepositInfo', args: [address] })
  expect(info.deposit).toBe(parseEther('105'))
})

test('error: a stranger takes nothing out of a paymaster', async () => {
  const { read } = connect(devAccounts[1])
  for (const [, address] of paymasters) {
    const args = [devAccounts[1].address, 1n] as const
    const account = devAccounts[1].address
    const call = read.simulateContract({ address, abi, functionName: 'withdrawTo', args, account })
    await expect(call).rejects.toThrow(/Ownable: caller is not the owner|OwnableUnauthorizedAccount|0x118cdaa7/)
  }
})

test('behavior: simple accounts of public tool kits have their public addresses', async () => {
  const { read } = connect(devAccounts[1])
  const abi = parseAbi([
    'function accountImplementation() view returns (address)',
    'function getAddress(address owner, uint256 salt) view returns (address)',
  ])
  for (const version of ['0.6.0', '0.7.0'] as const) {
    const factory = { address: devAddresses.simpleAccountFactories[version], abi } as const
    const implementation = await read.readContract({ ...factory, functionName: 'accountImplementation' })
    // Made by the factory first of all, as on public chains.
    expect(implementation).toBe(getContractAddress({ from: factory.address, nonce: 1n }))
    expect(await read.getCode({ address: implementation })).toBeDefined()
    const args = [devAccounts[0].address, 0n] as const
    expect(await read.readContract({ ...factory, functionName: 'getAddress', args })).toMatch(/^0x[0-9a-fA-F]{40}$/)
  }
})

test('behavior: the paymasters have the addresses account 8 would give them', () => {
  const from = devAccounts[8].address
  const addresses = [...Object.values(devAddresses.paymasters), ...Object.values(devAddresses.samplePaymasters)]
  expect(addresses).toEqual([0n, 1n, 2n, 3n].map((nonce) => getContractAddress({ from, nonce })))
})

/** A node of another make, as far as it gets asked. */
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

test('error: a public network that is no anvil is refused before anything is changed', async () => {
  for (const id of [1, 11155111, 8453]) {
    const foreign = await foreignNode({ eth_chainId: toHex(id), web3_clientVersion: 'Geth/v1.16.4' })
    const prepared = prepareChain({ rpcUrl: foreign.url })
    await expect(prepared).rejects.toMatchObject({
      code: 'PUBLIC_CHAIN_REFUSED',
      message: expect.stringContaining(`Chain id ${id}`),
    })
    expect(foreign.asked).toEqual(['eth_chainId', 'web3_clientVersion'])
    await foreign.close()
  }
})

test('error: a private chain without anvil methods', async () => {
  const foreign = await foreignNode({ eth_chainId: toHex(31337), web3_clientVersion: 'Geth/v1.16.4' })
  const prepared = prepareChain({ rpcUrl: foreign.url })
  await expect(prepared).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining('has no anvil methods'),
  })
  await foreign.close()
})

test('error: no node there, and the URL’s key stays out of the message', async () => {
  const port = await freePorts(1)
  const failure = await prepareChain({ rpcUrl: `http://127.0.0.1:${port}/v2/secret-key` }).catch(
    (error: Error) => error,
  )
  expect(failure).toMatchObject({
    code: 'NODE_UNREACHABLE',
    message: `No JSON-RPC response from http://127.0.0.1:${port}.`,
  })
})
