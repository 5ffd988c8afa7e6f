import { listen } from '@latchkey/testkit/signer/listen'
import { beforeEach, describe, expect, test } from 'vitest'
import { memoryStorage } from '../core/storage/memoryStorage.ts'
import type { StoragePort } from '../core/storage/StoragePort.ts'
import { alchemyEndpoints, keepConfig, latchkeyEndpoints } from './endpoints.ts'

const config = {
  custodyUrl: 'http://localhost:4102',
  authFrameUrl: 'http://localhost:4104',
  exportFrameUrl: 'http://localhost:4105',
  importFrameUrl: 'http://localhost:4112',
  rootOrgId: 'root',
}

test('alchemyEndpoints has the documented addresses', async () => {
  expect(alchemyEndpoints.signerApiUrl).toBe('https://api.g.alchemy.com')
  expect(await alchemyEndpoints.getConfig()).toEqual({
    custodyUrl: 'https://api.turnkey.com',
    authFrameUrl: 'https://auth.turnkey.com',
    exportFrameUrl: 'https://export.turnkey.com',
    importFrameUrl: 'https://import.turnkey.com',
    rootOrgId: '24c1acf5-810f-41e0-a503-d5d13fa8e830',
  })
})

test('latchkeyEndpoints fetches once, on first use, and again only after a failure', async () => {
  const responses: [number, unknown][] = [
    [500, 'down'],
    [200, { ...config, authFrameUrl: 'javascript:alert(1)' }],
    [200, { ...config, importFrameUrl: undefined }],
    [200, { ...config, rootOrgId: undefined }],
    [200, config],
  ]
  const paths: (string | undefined)[] = []
  const server = await listen((request, response) => {
    paths.push(request.url)
    const [status, body] = responses[paths.length - 1] ?? [404, '']
    response.writeHead(status).end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  const endpoints = latchkeyEndpoints(`${server.url}/`)
  expect(endpoints.signerApiUrl).toBe(server.url)
  expect(paths).toEqual([])
  await expect(endpoints.getConfig()).rejects.toMatchObject({ code: 'HTTP_FAILED' })
  for (let wrong = 0; wrong < 3; wrong++) {
    await expect(endpoints.getConfig()).rejects.toMatchObject({ code: 'RESPONSE_INVALID' })
  }
  expect(await Promise.all([endpoints.getConfig(), endpoints.getConfig()])).toEqual([config, config])
  await endpoints.getConfig()
  expect(paths).toEqual(new Array(5).fill('/signer/v1/config'))
  await server.close()
})

test('latchkeyEndpoints sends its apiKey to a server with several projects', async () => {
  const seen: (string | undefined)[] = []
  const server = await listen((request, response) => {
    seen.push(request.headers.authorization)
    response.end(JSON.stringify(config))
  })
  await latchkeyEndpoints(server.url).getConfig()
  await latchkeyEndpoints(server.url, { apiKey: 'key' }).getConfig()
  expect(seen).toEqual([undefined, 'Bearer key'])
  await server.close()
})

describe('keepConfig', () => {
  let storage: StoragePort
  let asked: number
  let time: number
  beforeEach(() => {
    storage = memoryStorage()
    asked = 0
    time = 1_000
  })

  /** Opens a signer with the same storage, as after a reload. */
  const open = (signerApiUrl = 'http://localhost:4101') =>
    keepConfig({
      endpoints: {
        signerApiUrl,
        async getConfig() {
          asked += 1
          return config
        },
      },
      storage,
      trust: { checkConfig: () => undefined },
      key: 'k',
      now: () => time,
    })

  test('fetches nothing within ten minutes after a reload', async () => {
    expect(await open().getConfig()).toEqual(config)
    time += 599_999
    expect(await open().getConfig()).toEqual(config)
    expect(asked).toBe(1)
    time += 1
    await open().getConfig()
    expect(asked).toBe(2)
  })

  test('fetches the configuration of another server', async () => {
    await open().getConfig()
    await open('https://other.example.com').getConfig()
    expect(asked).toBe(2)
  })

  test('fetches a tampered configuration again', async () => {
    const kept = { signerApiUrl: 'http://localhost:4101', until: 9e15 }
    for (const text of [
      '{',
      'null',
      '5',
      JSON.stringify({ ...kept, config: { ...config, custodyUrl: 'javascript:0' } }),
    ]) {
      storage.setItem('k', text)
      expect(await open().getConfig()).toEqual(config)
    }
    expect(asked).toBe(4)
  })
})
