import { startTestIssuer } from '@latchkey/testkit/startTestIssuer'
import { afterAll, expect, test } from 'vitest'
import type { OidcProvider } from '../store/oidcProviders.ts'
import { readProjects } from './organizations/trustedProjects.ts'
import { fetchKeySet } from './outbound.ts'

const issuer = await startTestIssuer()
afterAll(() => issuer.close())

function fetchFrom(provider: Partial<OidcProvider>, url = issuer.provider.jwksUrl): Promise<Uint8Array> {
  const oidcProviders = [{ ...issuer.provider, ...provider }]
  const project = { id: 'test', name: 'Test', apiKey: 'test-api-key', redirectUrls: [], allowedOrigins: [] }
  return fetchKeySet(readProjects([{ ...project, oidcProviders }]), url)
}

test('reads the configured URL and no other', async () => {
  expect(JSON.parse(new TextDecoder().decode(await fetchFrom({})))).toMatchObject({ keys: [{ kty: 'EC' }] })
  const before = issuer.countRequests()
  await expect(fetchFrom({}, `${issuer.provider.jwksUrl}?x`)).rejects.toMatchObject({ code: 'INTERNAL' })
  expect(issuer.countRequests()).toBe(before)
})

test('sends nothing to private addresses unless the provider is configured as private', async () => {
  const { port } = new URL(issuer.provider.issuer)
  const before = issuer.countRequests()
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '10.0.0.1', '169.254.169.254']) {
    const jwksUrl = `https://${host}:${port}/jwks`
    const refused = fetchFrom({ jwksUrl, network: 'public', client: undefined }, jwksUrl)
    await expect(refused, host).rejects.toMatchObject({ code: 'NETWORK_UNREACHABLE' })
  }
  expect(issuer.countRequests()).toBe(before)
})

test('follows no redirect, and reads neither failures nor more than 64 kB', async () => {
  const { jwksUrl } = issuer.provider
  for (const [code, status, body] of [
    ['NETWORK_UNREACHABLE', 302, ''],
    ['NETWORK_UNREACHABLE', 500, '{"keys":[]}'],
    ['RESPONSE_INVALID', 200, ' '.repeat(64_001)],
  ] as const) {
    issuer.answerBy((_request, response) => response.writeHead(status, { location: jwksUrl }).end(body))
    await expect(fetchFrom({}), String(status)).rejects.toMatchObject({ code })
  }
  issuer.answerBy(undefined)
})

test.each([
  ['id', { id: 'Goo gle' }],
  ['issuer', { issuer: '' }],
  ['audience', { audiences: [] }],
  ['algorithms', { algorithms: ['HS256'] as unknown as OidcProvider['algorithms'] }],
  ['jwksUrl', { jwksUrl: 'http://issuer.example/keys' }],
  ['jwksUrl', { jwksUrl: 'https://user:password@issuer.example/keys' }],
  ['client.id', { client: { id: 'other', authorizationUrl: 'https://a.example', tokenUrl: 'https://a.example' } }],
] as const)('refuses a provider without a right %s', async (word, provider) => {
  await expect(async () => fetchFrom(provider)).rejects.toThrow(word)
})
