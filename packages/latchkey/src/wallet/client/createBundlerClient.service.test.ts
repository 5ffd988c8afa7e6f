import { createServer } from 'node:http'
import { sepolia } from 'viem/chains'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createBundlerClient } from './createBundlerClient.ts'

const server = createServer((_, response) => response.writeHead(418).end('no'))
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => new Promise((resolve) => server.close(resolve)))

test('hides the API key in every member of an error', async () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : undefined
  const rpcUrl = `http://127.0.0.1:${port}/v2/key-of-the-app`
  for (const connection of [{ rpcUrl }, { rpcUrl, bundlerUrl: `${rpcUrl}?token=key-of-the-app` }]) {
    const client = createBundlerClient({ chain: sepolia, connection })
    for (const call of [client.getSupportedEntryPoints(), client.getBlockNumber()]) {
      const error = await call.then(
        () => undefined,
        (reason: unknown) => reason,
      )
      const texts: unknown[] = []
      for (let cause = error; cause instanceof Error; cause = cause.cause)
        texts.push(cause.stack, ...Object.getOwnPropertyNames(cause).map((name) => Reflect.get(cause as Error, name)))
      expect(JSON.stringify(texts)).toContain('/v2/***')
      expect(JSON.stringify(texts)).not.toContain('key-of-the-app')
    }
  }
})

test('refuses a connection without a key', () => {
  for (const more of [{}, { connection: {} }, { connection: { apiKey: '' } }])
    expect(() => createBundlerClient({ chain: sepolia, ...more })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    )
})
