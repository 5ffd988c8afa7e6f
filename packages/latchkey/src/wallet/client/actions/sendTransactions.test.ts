import { type RecordedClientOptions, recordedClient } from '@latchkey/testkit/wallet/recordedClient'
import { decodeFunctionData, zeroHash } from 'viem'
import { expect, test } from 'vitest'
import { lightAccountAbi } from '../../../accounts/lightAccount/encoding.ts'

const to = '0x000000000000000000000000000000000000dEaD'
const gasManagerConfig = { policyId: 'POLICY' }
const receipt = {
  sender: to,
  nonce: '0x0',
  success: true,
  actualGasCost: '0x1',
  actualGasUsed: '0x1',
  receipt: { transactionHash: `0x${'ab'.repeat(32)}`, blockNumber: '0x1' },
}
const quick = { txRetryIntervalMs: 1, txMaxRetries: 2, txWatchIntervalMs: 0 }

const setUp = (reply?: RecordedClientOptions['reply']) => recordedClient({ reply, gasManagerConfig, opts: quick })

const included: RecordedClientOptions['reply'] = ({ method }) =>
  method === 'eth_getUserOperationReceipt' ? { result: receipt } : undefined

test('sends several transactions as one operation and returns its transaction hash', async () => {
  const { client, server } = await setUp(included)
  const requests = [
    { to, value: '0x10', data: '0x1234' },
    { to, value: 2n },
  ] as const
  expect(await client.sendTransactions({ requests })).toBe(receipt.receipt.transactionHash)
  const sent = server.calls.find(({ method }) => method === 'eth_sendUserOperation')?.params[0] as {
    callData: `0x${string}`
  }
  const { functionName, args } = decodeFunctionData({ abi: lightAccountAbi, data: sent.callData })
  expect([functionName, args]).toEqual([
    'executeBatch',
    [
      [to, to],
      [16n, 2n],
      ['0x1234', '0x'],
    ],
  ])
})

test('uses the largest fee of the transactions and keeps other overrides', async () => {
  const { client, server } = await setUp()
  const requests = [
    { to, maxFeePerGas: '0x10', maxPriorityFeePerGas: 3n },
    { to, maxFeePerGas: 9n },
  ] as const
  const built = await client.buildUserOperationFromTxs({ requests, overrides: { callGasLimit: 77n } })
  expect(built.overrides).toEqual({ maxFeePerGas: 16n, maxPriorityFeePerGas: 3n, callGasLimit: 77n })
  expect(built.batch).toEqual([
    { target: to, data: '0x', value: 0n },
    { target: to, data: '0x', value: 0n },
  ])
  expect(built.uoStruct.signature).toBe(await client.smartAccount.getStubSignature())
  const sent = server.operationCalls()[0]?.params[0]
  expect(sent).toMatchObject({
    overrides: { maxFeePerGas: '0x10', maxPriorityFeePerGas: '0x3', callGasLimit: '0x4d' },
  })
})

test('prefers overrides to the fees of a transaction', async () => {
  const { client, server } = await setUp()
  await client.buildUserOperationFromTx({ to, maxFeePerGas: 5n }, { maxFeePerGas: 9n, maxPriorityFeePerGas: undefined })
  await client.buildUserOperationFromTx({ to }, { maxFeePerGas: 9n })
  for (const { params } of server.operationCalls())
    expect(params[0]).toMatchObject({ overrides: { maxFeePerGas: '0x9' } })
})

test('refuses a transaction from another address', async () => {
  const { client, server } = await setUp()
  const expected = { code: 'USER_OPERATION_INVALID', metaMessages: expect.arrayContaining([`From: ${to}`]) }
  await expect(client.sendTransaction({ from: to, to })).rejects.toMatchObject(expected)
  await expect(client.buildUserOperationFromTx({ from: to, to })).rejects.toMatchObject(expected)
  await expect(client.buildUserOperationFromTxs({ requests: [{ from: to, to }] })).rejects.toMatchObject(expected)
  expect(server.operationCalls()).toEqual([])
})

test('refuses a missing `to`, a malformed value and an empty list', async () => {
  const { client, server } = await setUp()
  await expect(client.sendTransaction({ data: '0x' })).rejects.toMatchObject({
    name: 'TransactionMissingToParamError',
    shortMessage: 'Transaction is missing `to` address set on request',
  })
  await expect(client.sendTransaction({ to, value: '0x' })).rejects.toMatchObject({ code: 'USER_OPERATION_INVALID' })
  await expect(client.sendTransactions({ requests: [] })).rejects.toMatchObject({ code: 'USER_OPERATION_INVALID' })
  expect(server.operationCalls()).toEqual([])
})

test('keeps the sent operation in the error when it is not found', async () => {
  const { client } = await setUp()
  const error = await client.sendTransaction({ to }).catch((reason: unknown) => reason)
  expect(error).toMatchObject({
    name: 'WaitForUserOperationError',
    code: 'USER_OPERATION_TIMEOUT',
    shortMessage: `Failed to find User Operation: Failed to find transaction for user operation ${zeroHash}`,
    request: { sender: client.account.address, callGasLimit: '0x1111' },
  })
})

test('reports an included operation that reverted', async () => {
  const { client } = await setUp(({ method }) =>
    method === 'eth_getUserOperationReceipt' ? { result: { ...receipt, success: false, reason: 'no' } } : undefined,
  )
  await expect(client.sendTransaction({ to })).rejects.toMatchObject({ code: 'USER_OPERATION_REVERTED', reason: 'no' })
})
