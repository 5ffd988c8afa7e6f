import { type RecordedClientOptions, recordedClient, recordedReplies } from '@latchkey/testkit/wallet/recordedClient'
import { numberToHex, parseGwei } from 'viem'
import { describe, expect, test } from 'vitest'

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const

type Reported = { baseFee?: bigint; priorityFee?: bigint; gas?: Record<string, bigint> }

async function setUp({ baseFee, priorityFee, gas }: Reported, options: RecordedClientOptions = {}) {
  return recordedClient({
    ...options,
    reply: ({ method }) => {
      if (method === 'eth_getBlockByNumber' && baseFee !== undefined)
        return { result: { baseFeePerGas: numberToHex(baseFee) } }
      if (method === 'rundler_maxPriorityFeePerGas' && priorityFee !== undefined)
        return { result: numberToHex(priorityFee) }
      if (method !== 'eth_estimateUserOperationGas' || !gas) return undefined
      const usual = recordedReplies.eth_estimateUserOperationGas as object
      const given = Object.entries(gas).map(([name, value]) => [name, numberToHex(value)])
      return { result: { ...usual, ...Object.fromEntries(given) } }
    },
  })
}

describe('fees', () => {
  test.each([
    [7n, 11n],
    [1n, 2n],
    [1_000_000_001n, 1_500_000_002n],
    [8n, 12n],
    [0n, 0n],
  ])('adds half of a base fee of %s, rounded up', async (baseFee, room) => {
    const { client } = await setUp({ baseFee, priorityFee: 5n })
    expect(await client.buildUserOperation({ uo })).toMatchObject({
      maxPriorityFeePerGas: 5n,
      maxFeePerGas: room + 5n,
    })
  })
})

describe('cost caps', () => {
  const cases = [
    ['maxPriorityFeePerGas', { priorityFee: parseGwei('10') + 1n }, { priorityFee: parseGwei('10') }],
    [
      'maxPriorityFeePerGas',
      { baseFee: parseGwei('3'), priorityFee: parseGwei('30') + 1n },
      { baseFee: parseGwei('3'), priorityFee: parseGwei('30') },
    ],
    ['preVerificationGas', { gas: { preVerificationGas: 10_000_000n } }, { gas: { preVerificationGas: 1_000_000n } }],
    ['callGasLimit', { gas: { callGasLimit: 30_000_001n } }, { gas: { callGasLimit: 30_000_000n } }],
    ['verificationGasLimit', { gas: { verificationGasLimit: 10n ** 12n } }, { gas: { verificationGasLimit: 1n } }],
  ] as const

  test.each(cases)('refuses a reported %s that is too high', async (field, reported, allowed) => {
    const { client, server } = await setUp(reported)
    const error = await client.sendUserOperation({ uo }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code: 'COST_TOO_HIGH', message: expect.stringContaining(`overrides.${field}`) })
    expect(server.calls.some(({ method }) => method === 'eth_sendUserOperation')).toBe(false)
    const { client: other } = await setUp(allowed)
    await other.sendUserOperation({ uo })
  })

  test.each(cases)('never caps an absolute override of %s', async (field, reported) => {
    const { client } = await setUp(reported)
    expect(await client.buildUserOperation({ uo, overrides: { [field]: 77n } })).toMatchObject({ [field]: 77n })
    await expect(client.buildUserOperation({ uo, overrides: { [field]: { multiplier: 0.9 } } })).rejects.toMatchObject({
      code: 'COST_TOO_HIGH',
    })
  })

  test('accepts costCaps', async () => {
    const reported = { priorityFee: parseGwei('15'), gas: { preVerificationGas: 10_000_000n } }
    const { client } = await setUp(reported, { opts: { costCaps: { feeFactor: 20, gasFactor: 1000 } } })
    expect(await client.buildUserOperation({ uo })).toMatchObject({ preVerificationGas: 10_000_000n })
    const { client: strict } = await setUp({}, { opts: { costCaps: { gasFactor: 1.1 } } })
    expect(await strict.buildUserOperation({ uo })).toMatchObject({ preVerificationGas: 50_000n })
    const { client: stricter } = await setUp({}, { opts: { costCaps: { feeFactor: 0.5 } } })
    await expect(stricter.buildUserOperation({ uo })).rejects.toMatchObject({ code: 'COST_TOO_HIGH' })
  })

  test('never caps the costs of a paymaster', async () => {
    const { client } = await setUp(
      { priorityFee: parseGwei('50'), gas: { preVerificationGas: 10_000_000n } },
      { gasManagerConfig: { policyId: 'POLICY', gasEstimationOptions: { disableGasEstimation: true } } },
    )
    expect(await client.buildUserOperation({ uo })).toMatchObject({ preVerificationGas: 10_000_000n })
    // With this override the account pays, so the bounds apply.
    await expect(client.buildUserOperation({ uo, overrides: { paymasterAndData: '0x' } })).rejects.toMatchObject({
      code: 'COST_TOO_HIGH',
    })
  })
})

test.each(['alchemy_requestGasAndPaymasterAndData', 'alchemy_requestPaymasterAndData'])(
  'charges no account when %s names no paymaster',
  async (named) => {
    const disableGasEstimation = named === 'alchemy_requestPaymasterAndData'
    const { client } = await recordedClient({
      gasManagerConfig: { policyId: 'POLICY', gasEstimationOptions: { disableGasEstimation } },
      reply: ({ method }) => {
        if (method !== named) return undefined
        return { result: { ...(recordedReplies[method] as object), paymasterAndData: '0x' } }
      },
    })
    await expect(client.sendUserOperation({ uo })).rejects.toMatchObject({
      code: 'RESPONSE_INVALID',
      shortMessage: expect.stringContaining('named no paymaster'),
    })
  },
)

describe('fallbacks of the gas manager', () => {
  const fees = { maxFeePerGas: 7n, maxPriorityFeePerGas: 3n }
  const gas = { callGasLimit: 11n, verificationGasLimit: 12n, preVerificationGas: 13n }
  const fallbackFeeDataGetter = async (draft: object) => ({ ...draft, ...fees })
  const fallbackGasEstimator = async (draft: object) => ({ ...draft, ...gas })
  const own = ['eth_estimateUserOperationGas', 'rundler_maxPriorityFeePerGas']

  test.each([
    ['the caller asks for no paymaster', {}, { paymasterAndData: '0x' } as const],
    ['gas is estimated here', { disableGasEstimation: true }, {}],
  ])('settle fees and gas when %s', async (_, options, overrides) => {
    const gasEstimationOptions = { ...options, fallbackFeeDataGetter, fallbackGasEstimator }
    const { client, server } = await setUp({}, { gasManagerConfig: { policyId: 'POLICY', gasEstimationOptions } })
    expect(await client.buildUserOperation({ uo, overrides })).toMatchObject({ ...fees, ...gas })
    expect(server.calls.filter(({ method }) => own.includes(method))).toEqual([])
  })

  test('stay unused in the combined flow', async () => {
    const gasEstimationOptions = { fallbackFeeDataGetter, fallbackGasEstimator }
    const { client } = await setUp({}, { gasManagerConfig: { policyId: 'POLICY', gasEstimationOptions } })
    expect(await client.buildUserOperation({ uo })).toMatchObject({ callGasLimit: 0x1111n })
  })

  test.each([
    ['fees', { feeEstimator: fallbackFeeDataGetter }, { maxFeePerGas: 7n, callGasLimit: 0x7530n }],
    ['gas', { gasEstimator: fallbackGasEstimator }, { callGasLimit: 11n, maxPriorityFeePerGas: 1_000_000_000n }],
  ])('default to the client’s own step for %s', async (_, steps, expected) => {
    const gasEstimationOptions = { disableGasEstimation: true }
    const { client } = await setUp({}, { ...steps, gasManagerConfig: { policyId: 'POLICY', gasEstimationOptions } })
    expect(await client.buildUserOperation({ uo })).toMatchObject(expected)
  })
})
