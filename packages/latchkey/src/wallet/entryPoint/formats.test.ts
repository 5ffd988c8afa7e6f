import {
  apartFromSignature,
  combined07,
  recordedClient,
  recordedReplies,
} from '@latchkey/testkit/wallet/recordedClient'
import recorded from '@latchkey/testkit/wallet/recordedRpc.json' with { type: 'json' }
import type { Address, Hex } from 'viem'
import { entryPoint08Address, entryPoint09Address, getUserOperationHash } from 'viem/account-abstraction'
import { expect, test } from 'vitest'
import { settleDraft } from '../userOperation/states.ts'
import { hashOperation } from './hashOperation.ts'
import { v08 } from './v08.ts'
import { v09 } from './v09.ts'

const uo = { target: '0x000000000000000000000000000000000000dEaD', data: '0x', value: 1n } as const

const setUp = recordedClient

const paymasterAddress = '0xc03aac639bb21233e0139381970328db8bceeb67'
const feeOptions = { maxPriorityFeePerGas: { min: 100_000_000n, multiplier: 1.33 } }
// Unlike the recorded client, Latchkey adds half a gwei to the base fee of 1 gwei.
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
      // Some bundlers return paymaster gas limits for operations without a paymaster.
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

const sender: Address = `0x${'a1'.repeat(20)}`
const delegate: Address = `0x${'b2'.repeat(20)}`
const paymaster: Address = `0x${'c3'.repeat(20)}`
const word: Hex = `0x${'11'.repeat(32)}`
const eip7702Auth = { chainId: '0x2105', address: delegate, nonce: '0x7', r: word, s: word, yParity: '0x1' } as const
const complete = {
  sender,
  nonce: 2n ** 200n + 1n,
  callData: '0xb61d27f6',
  signature: '0x',
  callGasLimit: 2n,
  verificationGasLimit: 3n,
  preVerificationGas: 4n,
  maxFeePerGas: 5n,
  maxPriorityFeePerGas: 6n,
} as const
const paid = {
  paymaster,
  paymasterData: '0xabcd',
  paymasterVerificationGasLimit: 7n,
  paymasterPostOpGasLimit: 8n,
} as const

test.each([
  ['0.8', entryPoint08Address],
  ['0.9', entryPoint09Address],
] as const)(
  'hashes an operation of EntryPoint %s as viem does, with the delegate of its authorization',
  (version, entryPointAddress) => {
    const place = { chainId: 8453, entryPointAddress }
    const hash = (operation: Parameters<typeof hashOperation>[0]) =>
      hashOperation(operation, { ...place, version: `${version}.0` })
    const authorization = { address: delegate, chainId: 8453, nonce: 7, r: word, s: word, yParity: 1 }
    const byViem = (userOperation: object) =>
      getUserOperationHash({ ...place, entryPointVersion: version, userOperation: userOperation as typeof complete })
    const created = { factory: paymaster, factoryData: '0x1234' } as const
    const delegated = { factory: '0x7702', factoryData: '0x' } as const
    expect(hash({ ...complete, ...created, ...paid })).toBe(byViem({ ...complete, ...created, ...paid }))
    const known = hash({ ...complete, ...delegated, eip7702Auth })
    expect(known).toBe(byViem({ ...complete, ...delegated, authorization }))
    const other = { ...eip7702Auth, address: paymaster }
    expect(hash({ ...complete, ...delegated, eip7702Auth: other })).not.toBe(known)
  },
)

test('leaves the paymaster’s signature out of the hash of EntryPoint 0.9 only', () => {
  const reply = { paymaster, paymasterData: '0xabcd', paymasterSignature: '0x1234' }
  expect(v09.readPaymasterFields(reply, '')).toEqual(reply)
  expect(v08.readPaymasterFields(reply, '')).toEqual({ paymaster, paymasterData: '0xabcd' })
  const place = { version: '0.9.0', chainId: 8453, entryPointAddress: entryPoint09Address } as const
  const [one, other] = (['0x1234', `0x${'55'.repeat(65)}`] as const).map((paymasterSignature) =>
    hashOperation({ ...complete, ...paid, paymasterSignature }, place),
  )
  expect(one).toBe(other)
  expect(one).not.toBe(hashOperation({ ...complete, ...paid }, place))
})

test('names the factory 0x7702 while the address is not delegated, from EntryPoint 0.8 on', async () => {
  const read = (authorization: typeof eip7702Auth | undefined) =>
    settleDraft(v08.readDelegation(Promise.resolve(authorization)))
  expect(await read(eip7702Auth)).toEqual({ factory: '0x7702', factoryData: '0x', eip7702Auth })
  expect(await read(undefined)).toEqual({})
  expect(v08.deploys({ factory: '0x7702' })).toBe(false)
})
