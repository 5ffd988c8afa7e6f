import { type RpcReply, startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
import { createClient, http } from 'viem'
import { expect, test } from 'vitest'
import { convertRpcErrors, toRpcError } from './RpcError.ts'

const action = 'Something was asked.'
async function failureOf(reply: () => RpcReply | Promise<RpcReply>, timeout = 30_000) {
  const { url } = await startRpcServer(reply)
  const client = createClient({ transport: http(`${url}/v2/secret-key`, { retryCount: 0, timeout }) })
  const asking = convertRpcErrors(client.request({ method: 'eth_chainId' }), action)
  const error = await asking.then(() => expect.fail('It was answered.'), toKnown)
  expect(JSON.stringify([String(error), error.cause])).not.toContain('secret-key')
  return { error, shown: `${url}/v2/***` }
}

const toKnown = (error: unknown) => toRpcError(error, { action: 'An error of ours stays as it is.' })

test('keeps the message and the code of the service', async () => {
  const { error, shown } = await failureOf(() => ({ error: { code: -32007, message: 'too early' } }))
  expect(error).toMatchObject({
    code: 'RPC_FAILED',
    name: 'RpcError',
    rpcCode: -32007,
    shortMessage: 'too early',
    details: 'JSON-RPC error -32007',
    metaMessages: [action, `URL: ${shown}`],
  })
})

test('keeps the codes and the request id of the gateway, and no other codes', async () => {
  const answering = (code: string) => () => ({
    error: { code: -32000, message: 'no', data: { code, requestId: 'request-1' } },
  })
  const { error } = await failureOf(answering('POLICY_REFUSED'))
  expect(error).toMatchObject({ code: 'POLICY_REFUSED', details: 'JSON-RPC error -32000, request request-1' })
  for (const code of ['SESSION_EXPIRED', 'toString'])
    expect((await failureOf(answering(code))).error.code).toBe('RPC_FAILED')
})

test('converts thrown values that are not errors, and circular causes', () => {
  const circle: { cause?: unknown } = {}
  circle.cause = circle
  for (const thrown of [undefined, null, 'text', 7, circle]) {
    expect(toRpcError(thrown, { action })).toMatchObject({ code: 'RPC_FAILED', shortMessage: action })
  }
})
