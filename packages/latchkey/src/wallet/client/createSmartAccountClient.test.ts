import { apartFromSignature, recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import recorded from '@latchkey/testkit/wallet/recordedRpc.json' with { type: 'json' }
import { zeroHash } from 'viem'
import { polygon } from 'viem/chains'
import { describe, expect, test } from 'vitest'
import { createSmartAccountClient } from './createSmartAccountClient.ts'

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const

const setUp = recordedClient

describe('bodies on the wire', () => {
  test('sends the recorded requests of a combined gas manager', async () => {
    const { server, client } = await setUp({ gasManagerConfig: { policyId: 'POLICY' } })
    const result = await client.sendUserOperation({ uo })
    expect(server.operationCalls()).toEqual(recorded.ep06_gas_manager_combined)
    expect(result.hash).toBe(zeroHash)
    expect(result.request).toEqual(recorded.ep06_gas_manager_combined[1]?.params[0])
  })

  test('sends factors of fee options, and keeps bounds', async () => {
    const { server, client } = await setUp({
      gasManagerConfig: { policyId: 'POLICY' },
      opts: { feeOptions: { maxFeePerGas: { multiplier: 1.5 }, maxPriorityFeePerGas: { min: 1n, multiplier: 1.33 } } },
    })
    await client.sendUserOperation({ uo })
    expect(server.operationCalls()[0]?.params[0]).toMatchObject({ overrides: { maxFeePerGas: { multiplier: 1.5 } } })
    expect(server.operationCalls()[0]?.params[0]).not.toHaveProperty('overrides.maxPriorityFeePerGas')
  })

  // Unlike the recorded client, Latchkey adds half a gwei to the base fee of 1 gwei.
  const feeOptions = { maxPriorityFeePerGas: { min: 100_000_000n, multiplier: 1.33 } }
  const withHeadroom = (calls: unknown) =>
    JSON.parse(JSON.stringify(calls).replaceAll('0x8ae0fa80', `0x${(1_330_000_000n + 1_500_000_000n).toString(16)}`))

  test('estimates fees and gas as recorded without sponsorship', async () => {
    const { server, client } = await setUp({ gasManagerConfig: { policyId: 'POLICY' }, opts: { feeOptions } })
    await client.sendUserOperation({ uo, overrides: { paymasterAndData: '0x' } })
    const expected = withHeadroom(recorded.ep06_gas_manager_bypassed_by_override)
    expect(apartFromSignature(server.operationCalls())).toEqual(apartFromSignature(expected))
  })

  test('estimates and simulates separately as recorded', async () => {
    const { server, client } = await setUp({
      gasManagerConfig: { policyId: 'POLICY', gasEstimationOptions: { disableGasEstimation: true } },
      useSimulation: true,
      opts: { feeOptions },
    })
    await client.sendUserOperation({ uo })
    const expected = withHeadroom(recorded.ep06_gas_manager_separate_estimation_plus_simulation)
    expect(apartFromSignature(server.operationCalls())).toEqual(apartFromSignature(expected))
  })

  test('names version and signer in headers and sends the token as bearer', async () => {
    const { server, client } = await setUp({ gasManagerConfig: { policyId: 'POLICY' } })
    await client.sendUserOperation({ uo })
    const sent = server.calls.filter(({ path }) => path === '/v2/secret-key')
    expect(sent.length).toBe(2)
    for (const { headers } of sent) {
      expect(headers).toMatchObject({
        'alchemy-aa-sdk-version': '3.14.1',
        'alchemy-aa-sdk-signer': 'local',
        authorization: 'Bearer some-jwt',
      })
    }
  })
})

describe('steps', () => {
  test('runs the steps in the documented order with the context', async () => {
    const seen: string[] = []
    const step =
      (name: string) =>
      async (draft: object, { context }: { context: unknown }) => {
        seen.push(`${name}:${context}`)
        return {
          ...draft,
          ...(name === 'gas' ? { callGasLimit: 1n, verificationGasLimit: 1n, preVerificationGas: 1n } : {}),
        }
      }
    const { client } = await setUp({
      paymasterAndData: { dummyPaymasterAndData: step('dummy'), paymasterAndData: step('paymaster') },
      feeEstimator: async (draft, context) => ({
        ...(await step('fee')(draft, context)),
        maxFeePerGas: Promise.resolve(1n),
        maxPriorityFeePerGas: 0n,
        paymasterAndData: '0x',
      }),
      gasEstimator: step('gas'),
      customMiddleware: step('custom'),
      userOperationSimulator: step('simulate'),
    })
    const built = await client.buildUserOperation({ uo, context: 7 })
    expect(seen).toEqual(['dummy:7', 'fee:7', 'gas:7', 'custom:7', 'paymaster:7', 'simulate:7'])
    expect(built).toMatchObject({ maxFeePerGas: 1n, nonce: 0n })
  })

  test('resolves pending values of a paymaster step before the simulation', async () => {
    const seen: unknown[] = []
    const { client } = await setUp({
      paymasterAndData: {
        dummyPaymasterAndData: async (draft) => ({ ...draft, paymasterAndData: '0x12' }),
        paymasterAndData: async (draft) => ({ ...draft, paymasterAndData: Promise.resolve('0x1234' as const) }),
      },
      userOperationSimulator: async (draft) => {
        seen.push(draft.paymasterAndData)
        return draft
      },
    })
    expect(await client.buildUserOperation({ uo })).toMatchObject({ paymasterAndData: '0x1234' })
    expect(seen).toEqual(['0x1234'])
  })

  test('refuses an incomplete operation', async () => {
    const { server, client } = await setUp({
      gasManagerConfig: { policyId: 'POLICY' },
      signUserOperation: async (draft) => ({ ...draft, signature: undefined }),
    })
    await expect(client.sendUserOperation({ uo })).rejects.toMatchObject({ code: 'USER_OPERATION_INVALID' })
    const uoStruct = { ...(await client.buildUserOperation({ uo })), callGasLimit: 0n }
    await expect(client.signUserOperation({ uoStruct })).rejects.toMatchObject({ code: 'USER_OPERATION_INVALID' })
    expect(server.calls.some(({ method }) => method === 'eth_sendUserOperation')).toBe(false)
  })

  test('sends a value set by a middleware as an override', async () => {
    const { server, client } = await setUp({
      gasManagerConfig: { policyId: 'POLICY' },
      customMiddleware: async (draft) => ({ ...draft, callGasLimit: 77n }),
    })
    await client.sendUserOperation({ uo })
    const params = server.operationCalls()[0]?.params[0] as { userOperation: object; overrides: object }
    expect(params.overrides).toEqual({ callGasLimit: '0x4d' })
    expect(params.userOperation).not.toHaveProperty('callGasLimit')
  })

  test('accepts uo as call data and as several calls', async () => {
    const { client } = await setUp({ gasManagerConfig: { policyId: 'POLICY' } })
    expect((await client.buildUserOperation({ uo: '0x12345678' })).callData).toBe('0x12345678')
    expect((await client.buildUserOperation({ uo: [uo, uo] })).callData.slice(0, 10)).toBe('0x47e1da2a')
    await expect(client.buildUserOperation({ uo: [] })).rejects.toMatchObject({ code: 'USER_OPERATION_INVALID' })
  })

  test('accepts nonceKey and stateOverride', async () => {
    const { server, client } = await setUp()
    const address = '0x000000000000000000000000000000000000dEaD'
    await client.buildUserOperation({ uo, overrides: { nonceKey: 5n, stateOverride: [{ address, balance: 16n }] } })
    const estimate = server.calls.find(({ method }) => method === 'eth_estimateUserOperationGas')
    expect(estimate?.params[2]).toEqual({ [address]: { balance: '0x10' } })
    const nonce = server.calls.find(({ method }) => method === 'eth_call')?.params[0] as { data: string }
    expect(BigInt(`0x${nonce.data.slice(-64)}`)).toBe(5n)
  })

  test.each([
    [-32601, 'not found'],
    [-32004, 'no such thing'],
    [-32600, 'Unsupported method: rundler_maxPriorityFeePerGas on this network'],
    [-32602, 'The method rundler_maxPriorityFeePerGas is not available'],
  ])('reads the fee from the node without the method of the provider: %i %s', async (code, message) => {
    const { server, client } = await setUp({
      reply: ({ method }) => {
        if (method === 'rundler_maxPriorityFeePerGas') return { error: { code, message } }
        return method === 'eth_maxPriorityFeePerGas' ? { result: '0x5' } : undefined
      },
    })
    const built = await client.buildUserOperation({ uo })
    expect(built.maxPriorityFeePerGas).toBe(5n)
    expect(built.maxFeePerGas).toBe(1_500_000_005n)
    expect(server.calls.some(({ method }) => method === 'eth_maxPriorityFeePerGas')).toBe(true)
  })

  test('reports a refusal of the fee method', async () => {
    const { server, client } = await setUp({
      reply: ({ method }) =>
        method === 'rundler_maxPriorityFeePerGas' ? { error: { code: -32000, message: 'out of credits' } } : undefined,
    })
    await expect(client.buildUserOperation({ uo })).rejects.toMatchObject({ rpcCode: -32000, text: 'out of credits' })
    expect(server.calls.some(({ method }) => method === 'eth_maxPriorityFeePerGas')).toBe(false)
  })
})

describe('failures', () => {
  const failing = (failed: string, error: { code: number; message: string; data?: unknown }) =>
    setUp({
      gasManagerConfig: { policyId: 'POLICY' },
      reply: ({ method }) => (method === failed ? { error } : undefined),
    })

  test.each([
    ['AA31 paymaster deposit too low', 'PAYMASTER_DEPOSIT_LOW', 'its deposit is too low'],
    ["AA21 didn't pay prefund", 'USER_OPERATION_INVALID', 'gasManagerConfig'],
    ['AA25 invalid account nonce', 'USER_OPERATION_INVALID', 'Another operation'],
    ['AA24 signature error', 'USER_OPERATION_INVALID', 'refused the signature'],
    ['AA33 reverted: expired', 'POLICY_REFUSED', 'Build the operation again'],
    ['AA10 sender already constructed', 'USER_OPERATION_INVALID', 'Build this one again'],
    ['AA13 initCode failed or OOG', 'USER_OPERATION_INVALID', 'could not be deployed'],
  ])('explains the bundler error %s', async (message, code, text) => {
    const { client } = await failing('eth_sendUserOperation', { code: -32500, message })
    const error = await client.sendUserOperation({ uo }).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code, details: message })
    expect(String(error)).toContain(text)
  })
})

test('refuses a chain that is not the account’s', async () => {
  const { client } = await setUp()
  expect(() => createSmartAccountClient({ account: client.smartAccount, chain: polygon, connection: {} })).toThrow(
    expect.objectContaining({ code: 'CHAIN_MISMATCH' }),
  )
})
