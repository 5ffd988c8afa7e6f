import { startTestIssuer } from '@latchkey/testkit/startTestIssuer'
import { afterAll, expect, test } from 'vitest'
import type { OidcProvider } from '../../store/oidcProviders.ts'
import type { Subject } from './checks.ts'
import { createNetwork } from './network.ts'
import { providerChecks } from './providerChecks.ts'

const issuer = await startTestIssuer({ id: 'acme' })
afterAll(() => issuer.close())
const { provider } = issuer
const keys = await (await fetch(provider.jwksUrl)).json()
const published = {
  issuer: provider.issuer,
  jwks_uri: provider.jwksUrl,
  authorization_endpoint: provider.client?.authorizationUrl,
  token_endpoint: provider.client?.tokenUrl,
  id_token_signing_alg_values_supported: ['ES256'],
}

type Served = { discovery?: object | undefined; keySet?: object; date?: Date; page?: number }

function serve({ discovery = published, keySet = keys, date = new Date(), page = 200 }: Served = {}) {
  issuer.answerBy(({ url }, response) => {
    response.setHeader('date', date.toUTCString())
    if (url === '/oauth/') return response.writeHead(page, { 'content-type': 'text/html' }).end('<!doctype html>')
    const found = url === '/jwks' ? keySet : discovery
    response.writeHead(Object.keys(found).length > 0 ? 200 : 404).end(JSON.stringify(found))
  })
}

async function check(changes: Partial<OidcProvider> = {}, authFrame: string | undefined = provider.issuer) {
  const server = {
    projects: [{ id: 'shop', oidcProviders: [{ ...provider, ...changes }] }],
    urls: { authFrame },
    signerApi: {},
  }
  const network = createNetwork({ dnsServers: [], dkimSelectors: [], isDevelopment: false })
  const found = providerChecks({ server, network } as unknown as Subject).map(async ({ name, run }) => {
    const result = await run().catch(({ message }: Error) => `FAIL ${message}`)
    return `${name}: ${typeof result === 'string' ? result : `skipped, ${result.skipped}`}`
  })
  return Promise.all(found)
}

test('passes a provider that agrees with the projects file, and names the address to register', async () => {
  serve()
  expect(await check()).toEqual([
    'keys of acme of shop: 1 key(s) at jwksUrl',
    'discovery of acme of shop: agrees with the projects file',
    `redirect address: ${provider.issuer}/oauth/ is served: register exactly this at every provider`,
  ])
})

test.each<[string, RegExp, Served, Partial<OidcProvider>]>([
  [
    'another issuer',
    /discovery.*FAIL issuer is not the provider's: it publishes x/,
    { discovery: { ...published, issuer: 'x' } },
    {},
  ],
  ['other keys', /discovery.*FAIL jwksUrl is not/, { discovery: { ...published, jwks_uri: 'https://x.example/' } }, {}],
  [
    'another endpoint',
    /FAIL client.tokenUrl is not/,
    { discovery: { ...published, token_endpoint: 'https://x.example/' } },
    {},
  ],
  [
    'another place for the secret',
    /FAIL the provider takes secrets by client_secret_post: set client.secretIn to "body"/,
    { discovery: { ...published, token_endpoint_auth_methods_supported: ['client_secret_post'] } },
    { client: provider.client && { ...provider.client, secret: 'x' } },
  ],
  ['no document', /discovery.*FAIL the issuer has no document at .*404/, { discovery: {} }, {}],
  ['another algorithm', /discovery.*FAIL the provider signs by ES256/, {}, { algorithms: ['RS256'] }],
  ['no key of the algorithm', /keys.*FAIL jwksUrl has no key for RS256/, {}, { algorithms: ['RS256'] }],
  ['no keys', /keys.*FAIL jwksUrl has no keys \(status 404\)/, { keySet: {} }, {}],
  ['a wrong clock', /keys.*FAIL the provider's clock is \d+ s behind/, { date: new Date(Date.now() - 90_000) }, {}],
  [
    'an address of this machine',
    /FAIL .* is not on the public Internet/,
    {},
    { network: 'public', jwksUrl: 'https://127.0.0.1/', client: undefined },
  ],
  ['no page for codes', /redirect address: FAIL .*\/oauth\/ has no page \(404\)/, { page: 404 }, {}],
])('reports %s', async (_, failure, served, changes) => {
  serve(served)
  expect(await check(changes)).toContainEqual(expect.stringMatching(failure))
})

test('accepts parameters of the authorization URL', async () => {
  serve()
  const client = provider.client && {
    ...provider.client,
    authorizationUrl: `${provider.client.authorizationUrl}?response_mode=form_post`,
  }
  expect((await check({ client }))[1]).toBe('discovery of acme of shop: agrees with the projects file')
})

test('compares nothing for tokens of an app’s own issuer, which needs no page', async () => {
  serve({ discovery: {} })
  const own = { client: undefined }
  expect(await check(own)).toEqual([
    'keys of acme of shop: 1 key(s) at jwksUrl',
    'discovery of acme of shop: skipped, it publishes no document to compare with',
  ])
  expect(await check({ ...own, issuer: 'my-app' })).toContainEqual(expect.stringContaining('its issuer is no URL'))
})
