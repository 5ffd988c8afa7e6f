import { startTestChain } from '@latchkey/testkit/chain'
import { startTestAdmin, type TestAdmin } from '@latchkey/testkit/startTestAdmin'
import { encodeFunctionData, parseAbi } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { devAddresses } from '../../../dev/src/chain/devAddresses.ts'

const chain = await startTestChain()
const nodeUrls = [chain.nodeUrl]
const chains: TestAdmin.Options['chains'] = [
  { chainId: chain.chainId, nodeUrls, bundlerUrls: nodeUrls },
  { chainId: 7, nodeUrls: ['http://127.0.0.1:9'], bundlerUrls: nodeUrls },
]
const admin = await startTestAdmin({ chains })
afterAll(async () => {
  await admin.close()
  await chain.close()
})

const abi = parseAbi(['function getAddress(address owner, uint256 salt) view returns (address)', 'function no()'])
const to = devAddresses.lightAccount['v2.0.0'].factory
const read = (method: string, params: unknown, chainId: number = chain.chainId) =>
  admin.call('get', `/chains/${chainId}/read?${new URLSearchParams({ method, params: JSON.stringify(params) })}`, {
    as: 'viewer',
  })

test('reads what a chain says, and forwards the error of a call', async () => {
  const data = encodeFunctionData({ abi, functionName: 'getAddress', args: [to, 0n] })
  const { body } = await read('eth_call', [{ to, data }, 'latest'])
  expect(body.result).toMatch(/^0x[0-9a-f]{64}$/)
  expect((await read('eth_getCode', [to, 'latest'])).body.result).toMatch(/^0x60/)
  const reverted = await read('eth_call', [{ to, data: encodeFunctionData({ abi, functionName: 'no' }) }, 'latest'])
  expect(reverted).toMatchObject({ status: 200, body: { error: { message: expect.stringContaining('revert') } } })
})

test('refuses other chains, other methods and bad parameters', async () => {
  expect(await read('eth_getCode', [to, 'latest'], 8)).toMatchObject({
    status: 404,
    body: { error: { code: 'NOT_FOUND' } },
  })
  for (const [method, params] of [
    ['eth_sendRawTransaction', ['0x']],
    ['debug_traceCall', []],
    ['eth_call', 'x'],
    ['eth_call', [{ to, data: `0x${'00'.repeat(3_000)}` }, 'latest']],
    ['eth_getLogs', [{ fromBlock: 'earliest', address: 'x' }]],
  ] as const)
    expect([method, (await read(method, params)).body.error.code]).toEqual([method, 'REQUEST_INVALID'])
})

test('reports a node that does not answer, without its URL', async () => {
  const { status, body } = await read('eth_getCode', [to, 'latest'], 7)
  expect([status, body.error.code]).toEqual([502, 'NODE_UNREACHABLE'])
  expect(JSON.stringify(body)).not.toContain('127.0.0.1:9')
})
