import { configInvalid, type ServerError } from '../platform/errors/ServerError.ts'
import { isThisMachine } from '../platform/http/fetchBounded.ts'
import { parseUrl } from '../platform/http/parseUrl.ts'

/** Signature algorithms of identity tokens. Each has a key pair, so a verifier cannot sign (RFC 8725 § 3.1). */
export const oidcAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const

/** An OpenID Connect provider by which a project's users sign in. */
export type OidcProvider = {
  /** Name in requests, such as `google`: lower-case letters, digits and hyphens. */
  id: string
  /**
   * Name shown to users.
   *
   * @default the id
   */
  name?: string | undefined
  /** Claim `iss`, exactly. */
  issuer: string
  /** Client ids: a token for any other is refused. */
  audiences: readonly string[]
  algorithms: readonly (typeof oidcAlgorithms)[number][]
  /** https URL of the provider's JSON Web Key Set (RFC 7517); custody reads keys from there only. */
  jwksUrl: string
  /**
   * Whether an address that the provider reports as verified counts as proven, as if an e-mail to it had been used.
   *
   * @default false
   */
  provesEmail?: boolean | undefined
  /**
   * `private` permits hosts that are not on the public Internet, and http on this machine.
   *
   * @default 'public'
   */
  network?: 'public' | 'private' | undefined
  /**
   * Client of the authorization code flow at the signer API.
   *
   * @default none: apps obtain the tokens themselves
   */
  client?: OidcClient | undefined
}

/** Registration of the signer API with a provider. */
export type OidcClient = {
  /** One of the provider's `audiences`. */
  id: string
  /**
   * Secret for the token endpoint.
   *
   * @default a public client, with PKCE only
   */
  secret?: string | undefined
  /**
   * Location of the secret: `header` is `client_secret_basic`, `body` is `client_secret_post` (OpenID Connect Core §
   * 9).
   *
   * @default 'header'
   */
  secretIn?: 'header' | 'body' | undefined
  authorizationUrl: string
  tokenUrl: string
  /** @default openid, email */
  scopes?: readonly string[] | undefined
  /**
   * URL of the signer API's `/signer/v1/oauth-callback`, registered with the provider. Set it for pages of Account Kit 4
   * (`oauthCallbackUrl`), which do not verify who sent them a session.
   *
   * @default pages of Account Kit cannot use the provider
   */
  publishedCallbackUrl?: string | undefined
}

/** A provider of the configuration, with its defaults. */
export type TrustedOidcProvider = OidcProvider & { name: string; provesEmail: boolean; network: 'public' | 'private' }

/**
 * Returns a project's providers, checked and with their defaults.
 *
 * @throws `CONFIG_INVALID`.
 */
export function readOidcProviders(projectId: string, providers: readonly OidcProvider[] = []): TrustedOidcProvider[] {
  const seen = new Set<string>()
  return providers.map((provider) => {
    const { id, issuer, audiences, algorithms } = provider
    const refuse = (why: string) => invalid(projectId, id, why)
    if (!/^[a-z][a-z\d-]{0,31}$/.test(id)) throw refuse('its id must be lower-case letters, digits and hyphens')
    // With two providers of one issuer, it would be unclear whose rules apply to a token.
    if (seen.has(id) || seen.has(issuer)) throw refuse('its id or issuer is used twice')
    seen.add(id).add(issuer)
    if (issuer === '' || audiences.length === 0 || audiences.includes(''))
      throw refuse('it needs an issuer and at least one audience')
    if (algorithms.length === 0 || !algorithms.every((name) => oidcAlgorithms.includes(name)))
      throw refuse(`its algorithms must be some of ${oidcAlgorithms.join(', ')}`)
    checkUrls(provider, refuse)
    if (provider.client && !audiences.includes(provider.client.id))
      throw refuse('client.id must be one of its audiences')
    return {
      ...provider,
      name: provider.name ?? id,
      provesEmail: provider.provesEmail ?? false,
      network: provider.network ?? 'public',
    }
  })
}

function checkUrls({ jwksUrl, network, client }: OidcProvider, refuse: (why: string) => ServerError): void {
  const urls = {
    jwksUrl,
    'client.authorizationUrl': client?.authorizationUrl,
    'client.tokenUrl': client?.tokenUrl,
    'client.publishedCallbackUrl': client?.publishedCallbackUrl,
  }
  for (const [name, text] of Object.entries(urls)) {
    if (text === undefined) continue
    const url = parseUrl(text)
    const isLocal = network === 'private' && url?.protocol === 'http:' && isThisMachine(url.hostname)
    if (!url || (url.protocol !== 'https:' && !isLocal) || url.username || url.password || url.hash)
      throw refuse(`${name} must be an https URL without user, password or fragment`)
  }
}

function invalid(projectId: string, id: string, why: string): ServerError {
  return configInvalid(
    `The provider ${JSON.stringify(id)} of project ${JSON.stringify(projectId)} is not valid: ${why}.`,
  )
}
