import {
  combined06,
  combined07,
  type RecordedClientOptions,
  recordedClient,
} from '@latchkey/testkit/wallet/recordedClient'
import { describe, expect, test } from 'vitest'

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const
const gasManagerConfig = { policyId: 'POLICY' }
const combinedMethod = 'alchemy_requestGasAndPaymasterAndData'

const setUp = (options?: RecordedClientOptions) => recordedClient({ gasManagerConfig, ...options })

/** Gas manager that returns absolute overrides unchanged. */
const keeping =
  (combined: object): RecordedClientOptions['reply'] =>
  ({ method, params }) =>
    method === combinedMethod
      ? { result: { ...combined, ...(params[0] as { overrides: object }).overrides } }
      : undefined

describe.each([
  ['v1.1.0', combined06, ['initCode']],
  ['v2.0.0', combined07, ['factory', 'factoryData']],
] as const)('%s', (version, combined, deployment) => {
  test('keeps nonce, calls and deployment, and raises both fees by ten percent, rounded up', async () => {
    const { client, server } = await setUp({ version, reply: keeping(combined) })
    const { request: uoToDrop } = await client.sendUserOperation({ uo })
    const { hash, request, timings } = await client.dropAndReplaceUserOperation({ uoToDrop })
    expect(hash).toMatch(/^0x/)
    expect(timings.sendMs).toBeGreaterThanOrEqual(0)
    for (const field of ['sender', 'nonce', 'callData', ...deployment] as const)
      expect(request[field]).toBe(uoToDrop[field])
    // 0x4444 = 17476, 0x555 = 1365
    expect([request.maxFeePerGas, request.maxPriorityFeePerGas].map(Number)).toEqual([19_224, 1502])
    expect(request.signature).not.toBe(uoToDrop.signature)
    const dummy = await client.smartAccount.getStubSignature()
    const requested = server.calls.filter(({ method }) => method === combinedMethod).map(({ params }) => params[0])
    expect(requested).toMatchObject([
      { dummySignature: dummy },
      { dummySignature: dummy, overrides: {} },
      { dummySignature: dummy, overrides: { maxFeePerGas: '0x4b18', maxPriorityFeePerGas: '0x5de' } },
    ])
  })
})

test('uses current fees when they rose more', async () => {
  const { client } = await setUp({ gasManagerConfig: undefined })
  const { request: uoToDrop } = await client.sendUserOperation({ uo })
  const old = { ...uoToDrop, maxFeePerGas: '0x1', maxPriorityFeePerGas: '0x1' } as const
  const { request } = await client.dropAndReplaceUserOperation({ uoToDrop: old })
  expect([request.maxFeePerGas, request.maxPriorityFeePerGas].map(Number)).toEqual([2_500_000_000, 1_000_000_000])
})

test('passes context and overrides to every step of both runs', async () => {
  const seen: unknown[] = []
  const { client } = await setUp({
    gasManagerConfig: undefined,
    customMiddleware: async (draft, { context, overrides }) => {
      seen.push([context, overrides.callGasLimit])
      return draft
    },
  })
  const { request: uoToDrop } = await client.sendUserOperation({ uo, context: 'first' })
  await client.dropAndReplaceUserOperation({ uoToDrop, context: 'again', overrides: { callGasLimit: 5n } })
  expect(seen).toEqual([
    ['first', undefined],
    ['again', 5n],
    ['again', 5n],
  ])
})

test('sends nothing when the gas manager keeps its own fees', async () => {
  const reply: RecordedClientOptions['reply'] = ({ method }) =>
    method === combinedMethod ? { result: combined06 } : undefined
  const { client, server } = await setUp({ reply })
  const { request: uoToDrop } = await client.sendUserOperation({ uo })
  await expect(client.dropAndReplaceUserOperation({ uoToDrop })).rejects.toMatchObject({
    code: 'RESPONSE_INVALID',
    shortMessage: expect.stringContaining('did not use maxFeePerGas'),
  })
  expect(server.calls.filter(({ method }) => method === 'eth_sendUserOperation').length).toBe(1)
})
