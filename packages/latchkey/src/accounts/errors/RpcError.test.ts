import { type RpcReply, startRpcServer } from '@latchkey/testkit/wallet/rpcServer'
import { createClient, http } from 'viem'
import { expect, test } from 'vitest'
import { convertRpcErrors, toRpcError } from './RpcError.ts'

const action = 'Something was asked.'
/** What becomes of the failure of a call over HTTP, and the URL as it may be shown. */
async function failureOf(reply: () => RpcReply | Promise<RpcReply>, timeout = 30_000) {
  const { url } = await startRpcServer(reply)
  const client = createClient({ transport: http(`${url}/v2/secret-key`, { retryCount: 0, timeout }) })
  const asking = convertRpcErrors(client.request({ method: 'eth_chainId' }), action)
  const error = await asking.then(() => expect.fail('It was answered.'), toKnown)
  expect(JSON.stringify([String(error), error.cause])).not.toContain('secret-key')
  return { error, shown: `${url}/v2/***` }
}

const toKnown = (error: unknown) => toRpcError(error, { action: 'An error of ours stays as it is.' })

test('default: the service’s own message and code', async () => {
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

test('behavior: a code of the gateway is kept, any other is not', async () => {
  const answering = (code: string) => () => ({ error: { code: -32000, message: 'no', data: { code } } })
  expect((await failureOf(answering('POLICY_REFUSED'))).error.code).toBe('POLICY_REFUSED')
  expect((await failureOf(answering('SESSION_EXPIRED'))).error.code).toBe('RPC_FAILED')
  expect((await failureOf(answering('toString'))).error.code).toBe('RPC_FAILED')
})

test('behavior: the request is named as in the logs of the service', async () => {
  const { error } = await failureOf(() => ({
    error: { code: -32000, message: 'no', data: { code: 'POLICY_REFUSED', requestId: 'request-1' } },
  }))
  expect(error.details).toBe('JSON-RPC error -32000, request request-1')
})

test('error: thrown values that are no errors, and causes in a circle', () => {
  const circle: { cause?: unknown } = {}
  circle.cause = circle
  for (const thrown of [undefined, null, 'text', 7, circle]) {
    expect(toRpcError(thrown, { action })).toMatchObject({ code: 'RPC_FAILED', shortMessage: action })
  }
})
