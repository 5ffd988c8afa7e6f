import { oauthPagePath } from 'latchkey-protocol'
import { z } from 'zod'
import { configInvalid } from '../../platform/errors/ServerError.ts'
import { fetchBounded } from '../../platform/http/fetchBounded.ts'
import { isPrivateHost, publicLookup } from '../../platform/http/publicLookup.ts'
import { parseJson } from '../../platform/http/requestBody.ts'
import { readOidcProviders, type TrustedOidcProvider } from '../../store/oidcProviders.ts'
import type { Config } from '../readConfig.ts'
import type { Check, Network, Skipped, Subject } from './checks.ts'
import { readPage } from './frameChecks.ts'

/** Checks each project's identity providers: keys, clock, discovery document and callback page. */
export function providerChecks({ server, network }: Subject): Check[] {
  const { projects = [], signerApi, custody } = server
  if (!signerApi && !custody) return []
  const checks = projects.flatMap(({ id, oidcProviders }) =>
    readOidcProviders(id, oidcProviders).flatMap((provider) => [
      { name: `keys of ${provider.id} of ${id}`, run: () => checkKeys(provider, network) },
      { name: `discovery of ${provider.id} of ${id}`, run: () => checkDiscovery(provider, network) },
    ]),
  )
  const hasClients = projects.some(({ oidcProviders = [] }) => oidcProviders.some(({ client }) => client))
  if (!hasClients) return checks
  return [...checks, { name: 'redirect address', run: () => checkCallback(server, network) }]
}

/** Half of custody's tolerance of one minute, since a token's delivery also takes time. */
const maxSkewMs = 30_000
/** Key type (RFC 7518 § 6.1, RFC 8037 § 2) by algorithm. */
const keyTypes = { RS256: 'RSA', ES256: 'EC', EdDSA: 'OKP' } as const
const keySetSchema = z.object({ keys: z.array(z.looseObject({ kty: z.string() })) })

async function checkKeys(provider: TrustedOidcProvider, network: Network): Promise<string> {
  const { status, headers, body } = await read(provider, provider.jwksUrl, network)
  const parsed = keySetSchema.safeParse(status === 200 ? parseJson(body) : undefined)
  if (!parsed.success)
    throw configInvalid(`jwksUrl has no keys (status ${status}): copy "jwks_uri" of the provider's discovery document`)
  const types = new Set(parsed.data.keys.map(({ kty }) => kty))
  const missing = provider.algorithms.filter((name) => !types.has(keyTypes[name]))
  if (missing.length === provider.algorithms.length)
    throw configInvalid(`jwksUrl has no key for ${missing.join(', ')}: set algorithms to those that the provider uses`)
  const skewMs = Date.parse(headers.date ?? '') - Date.now()
  if (Math.abs(skewMs) > maxSkewMs)
    throw configInvalid(
      `the provider's clock is ${Math.round(Math.abs(skewMs) / 1000)} s ${skewMs > 0 ? 'ahead of' : 'behind'} this machine's, so its tokens are refused: synchronize this machine with NTP`,
    )
  return `${parsed.data.keys.length} key(s) at jwksUrl`
}

const discoverySchema = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.string(),
  authorization_endpoint: z.string().optional(),
  token_endpoint: z.string().optional(),
  id_token_signing_alg_values_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
})

/**
 * Compares the settings with the provider's discovery document (OpenID Connect Discovery 1.0 § 4), which no role reads.
 */
async function checkDiscovery(provider: TrustedOidcProvider, network: Network): Promise<string | Skipped> {
  const { issuer, jwksUrl, algorithms, client } = provider
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  if (!/^https?:/.test(url)) return { skipped: 'its issuer is no URL, so it publishes no document to compare with' }
  const { status, body } = await read(provider, url, network)
  if (status === 404 && !client) return { skipped: 'it publishes no document to compare with' }
  const parsed = discoverySchema.safeParse(status === 200 ? parseJson(body) : undefined)
  if (!parsed.success)
    throw configInvalid(`the issuer has no document at ${url} (status ${status}): check issuer in the projects file`)
  const { data } = parsed
  const wanted: [setting: string, given: string | undefined, published: string | undefined][] = [
    ['issuer', issuer, data.issuer],
    ['jwksUrl', jwksUrl, data.jwks_uri],
    ['client.authorizationUrl', client?.authorizationUrl, data.authorization_endpoint],
    ['client.tokenUrl', client?.tokenUrl, data.token_endpoint],
  ]
  // An authorization URL may have its own query parameters.
  const isSame = (given: string, published: string) => given === published || given.split('?')[0] === published
  const other = wanted.find(([, given, published]) => given && published && !isSame(given, published))
  if (other) throw configInvalid(`${other[0]} is not the provider's: it publishes ${other[2]}`)
  const signing = data.id_token_signing_alg_values_supported
  if (signing && !algorithms.some((name) => signing.includes(name)))
    throw configInvalid(`the provider signs by ${signing.join(', ')}: set algorithms to one of these`)
  const methods = data.token_endpoint_auth_methods_supported
  const [method, place] =
    client?.secretIn === 'body' ? ['client_secret_post', 'header'] : ['client_secret_basic', 'body']
  if (client?.secret !== undefined && methods && !methods.includes(method))
    throw configInvalid(`the provider takes secrets by ${methods.join(', ')}: set client.secretIn to "${place}"`)
  return 'agrees with the projects file'
}

/** Checks that the callback page is served, and returns the URL to register at every provider. */
async function checkCallback({ urls }: Config['server'], network: Network): Promise<string> {
  if (urls.authFrame === undefined)
    throw configInvalid('is unknown: set LATCHKEY_AUTH_FRAME_URL, whose page receives the codes of providers')
  const url = new URL(oauthPagePath, urls.authFrame).href
  const { status, headers } = await readPage('The auth frame', url, network)
  if (status !== 200 || !headers['content-type']?.startsWith('text/html'))
    throw configInvalid(`${url} has no page (${status}): update the frames role that hosts the auth page`)
  return `${url} is served: register exactly this at every provider`
}

async function read(provider: TrustedOidcProvider, url: string, { lookup, authorities }: Network) {
  const what = 'The identity provider'
  const isPublic = provider.network === 'public'
  if (isPublic && isPrivateHost(new URL(url).hostname))
    throw configInvalid(`${url} is not on the public Internet: set "network": "private" if that is right`)
  const own = lookup ?? (isPublic ? publicLookup : undefined)
  return fetchBounded(url, {
    what,
    timeoutMs: 5_000,
    maxBytes: 64_000,
    headers: { accept: 'application/json' },
    connection: { ...(own && { lookup: own }), ...(authorities.length > 0 && { ca: [...authorities] }) },
  })
}
