import { type RecordedClientOptions, recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import { expect, test } from 'vitest'

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const
const method = 'alchemy_simulateUserOperationAssetChanges'
const change = {
  assetType: 'NATIVE',
  changeType: 'TRANSFER',
  from: '0x2053A4FEd7eC3fAc2E94f14Bc3771B1532Ed9A99',
  to: uo.target,
  rawAmount: '1',
  amount: '0.000000000000000001',
  contractAddress: null,
  tokenId: null,
  decimals: 18,
  symbol: 'ETH',
}

async function setUp(result: unknown, options?: RecordedClientOptions) {
  return recordedClient({
    gasManagerConfig: { policyId: 'POLICY' },
    reply: (call) => (call.method === method ? { result } : undefined),
    ...options,
  })
}

test('simulates with a paymaster stub, and neither signs nor sends', async () => {
  const { client, server } = await setUp({ changes: [change] }, { version: 'v2.0.0' })
  expect(await client.simulateUserOperation({ uo })).toEqual({ changes: [change] })
  const calls = server.operationCalls()
  expect(calls.map((call) => call.method)).toEqual(['pm_getPaymasterStubData', method])
  expect(calls[1]?.params).toEqual([
    expect.objectContaining({
      signature: await client.smartAccount.getStubSignature(),
      paymasterData: '0xeeff',
      callGasLimit: '0x0',
      paymasterPostOpGasLimit: '0x0',
    }),
    '0x0000000071727De22E5E9d8BAf0edAc6f37da032',
  ])
})

test('returns a failed simulation as a result of one request', async () => {
  const { client, server } = await setUp({ changes: [], error: { message: 'no' } }, { useSimulation: true })
  expect(await client.simulateUserOperation({ uo })).toEqual({ changes: [], error: { message: 'no' } })
  expect(server.calls.filter((call) => call.method === method).length).toBe(1)
})

test.each([
  ['no list', {}],
  ['a list of something else', { changes: [{ ...change, assetType: 5 }] }],
  ['nothing', null],
])('refuses %s as reply', async (_, result) => {
  const { client } = await setUp(result)
  await expect(client.simulateUserOperation({ uo })).rejects.toMatchObject({ code: 'RESPONSE_INVALID' })
})
