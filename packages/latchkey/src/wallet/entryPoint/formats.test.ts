import {
  apartFromSignature,
  combined07,
  recordedClient,
  recordedReplies,
} from '@latchkey/testkit/wallet/recordedClient'
import recorded from '@latchkey/testkit/wallet/recordedRpc.json' with { type: 'json' }
import { expect, test } from 'vitest'

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const

const setUp = recordedClient

const paymasterAddress = '0xc03aac639bb21233e0139381970328db8bceeb67'
const feeOptions = { maxPriorityFeePerGas: { min: 100_000_000n, multiplier: 1.33 } }
// Latchkey adds half a gwei to the base fee (1 gwei); the recorded client did not.
const withHeadroom = (calls: unknown) =>
  JSON.parse(JSON.stringify(calls).replaceAll('0x8ae0fa80', `0x${(1_330_000_000n + 1_500_000_000n).toString(16)}`))

test('sends the recorded requests without a gas manager', async () => {
  const { server, client } = await setUp({ version: 'v2.0.0', opts: { feeOptions } })
  await client.sendUserOperation({ uo })
  const expected = withHeadroom(recorded.ep07_no_gas_manager)
  expect(apartFromSignature(server.operationCalls())).toEqual(apartFromSignature(expected))
})

test('sends the recorded requests of a combined gas manager', async () => {
  const { server, client } = await setUp({
    version: 'v2.0.0',
    gasManagerConfig: { policyId: 'POLICY', paymasterAddress },
  })
  const { request } = await client.sendUserOperation({ uo })
  expect(server.operationCalls()).toEqual(recorded.ep07_gas_manager_combined)
  expect(request).toEqual(recorded.ep07_gas_manager_combined[1]?.params[0])
})

test('sends overrides of the paymaster limits', async () => {
  const { server, client } = await setUp({
    version: 'v2.0.0',
    gasManagerConfig: { policyId: 'POLICY' },
  })
  const overrides = { paymasterVerificationGasLimit: { multiplier: 1.5 }, paymasterPostOpGasLimit: 16 }
  await client.sendUserOperation({ uo, overrides })
  expect(server.operationCalls()[0]?.params[0]).toMatchObject({
    overrides: { paymasterVerificationGasLimit: { multiplier: 1.5 }, paymasterPostOpGasLimit: '0x10' },
    userOperation: { paymaster: '0x2cc0c7981D846b9F2a16276556f6e8cb52BfB633' },
  })
})

test('sends no paymaster field without sponsorship', async () => {
  const { server, client } = await setUp({
    version: 'v2.0.0',
    gasManagerConfig: { policyId: 'POLICY' },
    reply: ({ method }) =>
      // Some bundlers return a gas limit for a paymaster that the operation does not have.
      method === 'eth_estimateUserOperationGas'
        ? { result: { ...(recordedReplies[method] as object), paymasterVerificationGasLimit: '0x0' } }
        : undefined,
  })
  const { request } = await client.sendUserOperation({ uo, overrides: { paymasterData: '0x' } })
  expect(Object.keys(request).filter((name) => name.startsWith('paymaster'))).toEqual([])
  expect(server.operationCalls().map(({ method }) => method)).toEqual([
    'eth_getBlockByNumber',
    'rundler_maxPriorityFeePerGas',
    'eth_estimateUserOperationGas',
    'eth_sendUserOperation',
  ])
})

test('sends all four paymaster fields after separate estimation', async () => {
  const { client } = await setUp({
    version: 'v2.0.0',
    gasManagerConfig: { policyId: 'POLICY', gasEstimationOptions: { disableGasEstimation: true } },
    reply: ({ method }) => {
      if (method === 'alchemy_requestPaymasterAndData')
        return { result: { paymaster: combined07.paymaster, paymasterData: '0xccdd' } }
      return method === 'eth_estimateUserOperationGas'
        ? { result: { ...(recordedReplies[method] as object), paymasterVerificationGasLimit: '0x77' } }
        : undefined
    },
  })
  const { request } = await client.sendUserOperation({ uo })
  expect(request).toMatchObject({
    paymaster: combined07.paymaster,
    paymasterData: '0xccdd',
    paymasterVerificationGasLimit: '0x77',
    paymasterPostOpGasLimit: '0x0',
  })
})

test('sends a sponsored operation with the gas limits of an estimator of the app', async () => {
  const limits = { callGasLimit: 1n, verificationGasLimit: 2n, preVerificationGas: 3n }
  const { client, server } = await setUp({
    version: 'v2.0.0',
    gasManagerConfig: {
      policyId: 'POLICY',
      gasEstimationOptions: {
        disableGasEstimation: true,
        fallbackGasEstimator: async (draft) => ({ ...draft, ...limits }),
      },
    },
    reply: ({ method }) =>
      method === 'alchemy_requestPaymasterAndData'
        ? { result: { paymaster: combined07.paymaster, paymasterData: '0xccdd' } }
        : undefined,
  })
  const gas = { callGasLimit: '0x1', paymasterVerificationGasLimit: '0x186a0', paymasterPostOpGasLimit: '0x0' }
  expect((await client.sendUserOperation({ uo })).request).toMatchObject(gas)
  const asked = server.operationCalls().find(({ method }) => method === 'alchemy_requestPaymasterAndData')
  expect(asked?.params[0]).toMatchObject({ userOperation: gas })
})

test('refuses a reply of the gas manager that ignores an absolute override', async () => {
  const { client, server } = await setUp({
    version: 'v2.0.0',
    gasManagerConfig: { policyId: 'POLICY' },
    reply: ({ method }) => (method === 'alchemy_requestGasAndPaymasterAndData' ? { result: combined07 } : undefined),
  })
  const overrides = { callGasLimit: 123n }
  await expect(client.sendUserOperation({ uo, overrides })).rejects.toMatchObject({
    code: 'RESPONSE_INVALID',
    message: expect.stringContaining('did not use callGasLimit'),
  })
  expect(server.operationCalls().map(({ method }) => method)).not.toContain('eth_sendUserOperation')
})
