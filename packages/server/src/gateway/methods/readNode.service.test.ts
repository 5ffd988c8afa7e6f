import { startTestGateway, type TestGateway } from '@latchkey/testkit/gateway/startTestGateway'
import { test } from '@latchkey/testkit/worker'
import { type Address, type Hex, numberToHex, toHex, zeroAddress } from 'viem'
import { afterAll, afterEach, expect } from 'vitest'
import { bounds } from '../gatewayLimits.ts'

let gateway: TestGateway
test.beforeAll(async ({ chain }) => {
  gateway = await startTestGateway({ chain })
})
afterAll(() => gateway?.close())
/** Checks directly on the node that it still responds after each test. */
afterEach(async () => {
  expect(await gateway.client.getChainId()).toBe(gateway.chainId)
})

const account: Address = `0x${'11'.repeat(20)}`
const word = `0x${'f'.repeat(64)}`
const decimals = '9'.repeat(900_000)
/** JUMPDEST, PUSH1 0, JUMP: uses up all gas. */
const loop: Hex = '0x5b600056'
/** PUSH4 size, PUSH1 0, RETURN: zeros. */
const returning = (size: number): Hex => `0x63${size.toString(16).padStart(8, '0')}6000f3`
/** GAS, PUSH1 0, MSTORE, PUSH1 32, PUSH1 0, RETURN: returns the remaining gas. */
const gasLeft: Hex = '0x5a60005260206000f3'
const runs = (code: Hex) => ({ [account]: { code } })

test.each<[name: string, method: string, params: unknown]>([
  ['a count of 256 bits', 'eth_feeHistory', [word, 'latest', []]],
  ['a count of 64 bits', 'eth_feeHistory', ['0xffffffffffffffff', 'latest', []]],
  ['a count in decimals', 'eth_feeHistory', [decimals, 'latest', []]],
  ['a count that is a number', 'eth_feeHistory', [4, 'latest', []]],
  ['many percentiles', 'eth_feeHistory', ['0x4', 'latest', Array.from({ length: 10_000 }, (_, index) => index / 100)]],
  ['a value in decimals', 'eth_call', [{ to: account, value: decimals }, 'latest']],
  ['a value of more than 256 bits', 'eth_call', [{ to: account, value: `${word}f` }, 'latest']],
  ['gas of more than 64 bits', 'eth_call', [{ to: account, gas: '0xffffffffffffffffffff' }, 'latest']],
  ['a block in decimals', 'eth_getBalance', [account, decimals]],
  ['a block of 256 bits', 'eth_getBlockByNumber', [word, true]],
  ['a slot of half a megabyte', 'eth_getStorageAt', [account, `0x${'f'.repeat(500_000)}`, 'latest']],
  ['a proof of many slots', 'eth_getProof', [account, Array.from({ length: 9_000 }, () => '0x1'), 'latest']],
  ['a field that is none', 'eth_call', [{ to: account, from_: account }, 'latest']],
  ['parameters by name', 'eth_call', { to: account }],
  ['too few parameters', 'eth_getBalance', []],
  ['too many parameters', 'eth_chainId', [1]],
  ['an override of many accounts', 'eth_call', [{}, 'latest', manyAccounts(bounds.overrideAccounts + 1)]],
  ['an access list without end', 'eth_createAccessList', [{ to: account, accessList: entries(5_000) }]],
  ['many blocks', 'eth_simulateV1', [{ blockStateCalls: Array.from({ length: 5_000 }, () => ({ calls: [] })) }]],
  ['many calls', 'eth_simulateV1', [{ blockStateCalls: [{ calls: Array.from({ length: 101 }, () => ({})) }] }]],
  ['logs of all blocks', 'eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffffffffffff' }]],
  ['logs of 64 bits of blocks', 'eth_getLogs', [{ fromBlock: 'earliest', toBlock: '0xffffffffffffffff' }]],
  ['a filter over all blocks', 'eth_newFilter', [{ fromBlock: '0x0', toBlock: '0xffffffffffff' }]],
  ['five topics', 'eth_getLogs', [{ topics: [null, null, null, null, null] }]],
  ['an operation with decimals', 'eth_estimateUserOperationGas', [{ sender: account, nonce: decimals }, account]],
  ['an operation that is none', 'eth_sendUserOperation', ['0x', account]],
  ['a hash that is none', 'eth_getUserOperationReceipt', [word.slice(1)]],
])('refuses %s before %s reaches the node', async (_name, method, params) => {
  const { error } = await gateway.ask(method, params)
  expect(error).toMatchObject({ code: -32602, data: { code: 'REQUEST_INVALID' } })
  expect(error?.message.length).toBeLessThan(300)
})

function manyAccounts(count: number): Record<string, object> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [toHex(index, { size: 20 }), {}]))
}

function entries(count: number) {
  return Array.from({ length: count }, () => ({ address: account, storageKeys: [] }))
}

test('caps the gas of a call, whether named or not', async () => {
  for (const [gas, most] of [
    [undefined, bounds.unnamedCallGas],
    [null, bounds.unnamedCallGas],
    ['0x7fffffffffffffff', bounds.callGas],
    [toHex(bounds.callGas), bounds.callGas],
  ] as const) {
    const { result } = await gateway.ask('eth_call', [{ to: account, gas }, 'latest', runs(gasLeft)])
    expect(BigInt(result as Hex)).toBeLessThanOrEqual(most)
    expect(BigInt(result as Hex)).toBeGreaterThan(most - 100_000n)
  }
  const { result } = await gateway.ask('eth_call', [{ to: account, gas: '0x186a0' }, 'latest', runs(gasLeft)])
  expect(BigInt(result as Hex)).toBeLessThan(100_000n)
  const frugal = gateway.withChain({ maxCallGas: 200_000n })
  const less = await gateway.ask('eth_call', [{ to: account }, 'latest', runs(gasLeft)], frugal)
  expect(BigInt(less.result as Hex)).toBeLessThan(200_000n)
})

test('stops endless code at the cap', async () => {
  const gas = '0x7fffffffffffffff'
  for (const method of ['eth_call', 'eth_estimateGas', 'eth_createAccessList'])
    expect((await gateway.ask(method, [{ data: loop, gas }, 'latest'])).error, method).toMatchObject({
      message: expect.stringMatching(/out ?of ?gas/i),
    })
  const call = { from: account, to: account, gas }
  const { result } = await gateway.ask('eth_simulateV1', [
    { blockStateCalls: [{ stateOverrides: runs(gasLeft), calls: [call, call] }] },
    'latest',
  ])
  const [{ calls }] = result as [{ calls: { returnData: Hex }[] }]
  expect(calls).toHaveLength(2)
  for (const { returnData } of calls) expect(BigInt(returnData)).toBeLessThanOrEqual(bounds.callGas / 2n)
})

test('shares one byte budget among the responses of a batch', async () => {
  const large = {
    method: 'eth_call',
    params: [{ to: account, gas: toHex(bounds.callGas) }, 'latest', runs(returning(3 * 1024 * 1024))],
  }
  const batch = Array.from({ length: 10 }, () => large)
  const { text, replies } = await gateway.askBatch([...batch, { method: 'eth_chainId', params: [] }])
  expect(text.length).toBeLessThan(bounds.responseBytes + 10_000)
  const refused = replies.filter(({ error }) => error?.data?.code === 'RESPONSE_TOO_LARGE')
  // Each of the ten responses is 6 MiB of hex.
  expect(refused.length).toBeGreaterThanOrEqual(8)
  for (const { error } of refused) expect(error).toMatchObject({ code: -32005 })
  expect(replies).toHaveLength(11)
})

test('limits log filters to `maxLogBlocks`', async () => {
  const narrow = gateway.withChain({ maxLogBlocks: 2n })
  const latest = await gateway.client.getBlockNumber()
  const ask = (filter: object) => gateway.ask('eth_getLogs', [filter], narrow)
  for (const filter of [
    {},
    { fromBlock: 'latest' },
    { fromBlock: toHex(latest - 1n) },
    { fromBlock: toHex(latest - 1n), toBlock: toHex(latest) },
    { fromBlock: toHex(latest - 1n), toBlock: 'pending' },
  ])
    expect((await ask(filter)).error, JSON.stringify(filter)).toBeUndefined()
  for (const filter of [
    { fromBlock: 'earliest' },
    { fromBlock: toHex(latest - 2n) },
    { fromBlock: toHex(latest - 2n), toBlock: 'latest' },
    { fromBlock: '0x0', toBlock: '0x2' },
  ])
    expect((await ask(filter)).error, JSON.stringify(filter)).toMatchObject({
      message: expect.stringContaining('at most 2 blocks'),
      data: { maxBlocks: 2 },
    })
})

test('refuses params with too many or too deeply nested values', async () => {
  const refused = { code: -32602, message: expect.stringContaining('hold too many values, or are nested too deeply') }
  // None of the 60,000 keys is an address, so each would produce its own validation issue.
  const overrides = Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, {}]))
  expect((await gateway.ask('eth_call', [{}, 'latest', overrides])).error).toMatchObject(refused)
  let deep: unknown[] = []
  for (let depth = 0; depth < 1_000; depth++) deep = [deep]
  expect((await gateway.ask('eth_call', [{}, deep])).error).toMatchObject(refused)
  const signatureRequest = { type: 'eth_signTypedData_v4', data: { types: {}, primaryType: 'A', message: { deep } } }
  const { error } = await gateway.ask('wallet_prepareSign', [{ from: zeroAddress, chainId: '0x1', signatureRequest }])
  expect(error).toMatchObject(refused)
  const storage = Object.fromEntries(
    Array.from({ length: 7_000 }, (_, index) => [numberToHex(index, { size: 32 }), numberToHex(1, { size: 32 })]),
  )
  expect((await gateway.ask('eth_call', [{}, 'latest', { [zeroAddress]: { state: storage } }])).result).toBe('0x')
})
