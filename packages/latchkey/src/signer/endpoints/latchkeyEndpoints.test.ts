import { listen } from '@latchkey/testkit/signer/listen'
import { expect, test } from 'vitest'
import { latchkeyEndpoints } from './latchkeyEndpoints.ts'

const config = {
  custodyUrl: 'http://localhost:4102',
  authFrameUrl: 'http://localhost:4104',
  exportFrameUrl: 'http://localhost:4105',
  importFrameUrl: 'http://localhost:4112',
  rootOrgId: 'root',
}

test('default: asks once, when first needed, and again only after a failure', async () => {
  const answers: [number, unknown][] = [
    [500, 'down'],
    [200, { ...config, authFrameUrl: 'javascript:alert(1)' }],
    [200, { ...config, importFrameUrl: undefined }],
    [200, { ...config, rootOrgId: undefined }],
    [200, config],
  ]
  const paths: (string | undefined)[] = []
  const server = await listen((request, response) => {
    paths.push(request.url)
    const [status, body] = answers[paths.length - 1] ?? [404, '']
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

test('param: apiKey, for a server with several projects', async () => {
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
