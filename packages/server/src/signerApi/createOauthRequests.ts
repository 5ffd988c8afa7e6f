import { createHash, randomBytes } from 'node:crypto'
import { z } from 'zod'
import { deriveKey, openText, sealText } from '../keys/sealText.ts'
import type { createStamp } from '../platform/crypto/createStamp.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { type OidcClient, readOidcProviders, type TrustedOidcProvider } from '../store/oidcProviders.ts'
import type { upsertProject } from '../store/upsertProject.ts'
import type { CustodyClient } from './custodyClient.ts'
import { exchangeCode } from './exchangeCode.ts'

export declare namespace createOauthRequests {
  type Deps = {
    custody: Pick<CustodyClient, 'now'>
    apiKey: createStamp.ApiKey
    /** The configuration's projects, read at each request. */
    config: { readonly projects?: readonly upsertProject.Parameters[] | undefined }
  }
  type Answer = {
    providerId: string
    code: string
    /** Issuer that the provider sent with the code (RFC 9207). */
    iss?: string | undefined
    /** Returns the URL to which the provider sent the code; undefined if the client has none. */
    toCallbackUrl(client: OidcClient): string | undefined
  }
}

/** A sign-in that a user has begun, with the secret of its challenge (RFC 7636). */
export type OauthRequest = z.output<typeof requestSchema>

/** Maximum milliseconds that a user may spend at the provider. */
const requestMs = 600_000
const requestSchema = z.object({ verifier: z.string(), projectId: z.string(), endsMs: z.number() })

/** Creates functions that begin sign-ins at a project's identity providers and redeem the providers' codes. */
export function createOauthRequests({ custody, apiKey, config }: createOauthRequests.Deps) {
  const key = deriveKey(apiKey.privateKey, 'latchkey oauth request')
  /** Reads the providers from the configuration: write access to the database must not add any. */
  const readProviders = (projectId: string): TrustedOidcProvider[] =>
    readOidcProviders(projectId, config.projects?.find(({ id }) => id === projectId)?.oidcProviders)
  return {
    readProviders,
    create(projectId: string): { codeChallenge: string; requestKey: string } {
      const verifier = randomBytes(32).toString('base64url')
      const request: OauthRequest = { verifier, projectId, endsMs: custody.now() + requestMs }
      return {
        codeChallenge: createHash('sha256').update(verifier).digest('base64url'),
        requestKey: sealText(key, JSON.stringify(request)),
      }
    },
    /** Returns the sign-in of `requestKey`. @throws `OIDC_TOKEN_INVALID` if it has expired or is another project's. */
    open(requestKey: string, projectId?: string): OauthRequest {
      const opened = openText(key, requestKey)
      const request = opened === undefined ? undefined : requestSchema.parse(JSON.parse(opened))
      if (request && (projectId ?? request.projectId) === request.projectId && request.endsMs > custody.now())
        return request
      throw refused('This sign-in has expired. Start it again.')
    },
    /** Exchanges a provider's code for an identity token. @throws The errors of `exchangeCode`. */
    async redeem(
      { verifier, projectId }: OauthRequest,
      { providerId, code, iss, toCallbackUrl }: createOauthRequests.Answer,
    ): Promise<{ provider: TrustedOidcProvider; token: string }> {
      const provider = readProviders(projectId).find(({ id }) => id === providerId)
      const callbackUrl = provider?.client && toCallbackUrl(provider.client)
      if (!provider || callbackUrl === undefined) throw unknownProvider(providerId)
      if (iss !== undefined && iss !== provider.issuer)
        throw refused('Another identity provider has answered than was asked. Start the sign-in again.')
      return { provider, token: await exchangeCode(provider, { code, verifier, callbackUrl }) }
    },
  }
}

export function unknownProvider(id: string | undefined): ServerError {
  const named = id === undefined ? 'no identity provider' : `no identity provider ${JSON.stringify(id)}`
  return new ServerError(
    `This project has ${named} for this. Use an email address or a passkey, or add it to "oidcProviders" in the projects file.`,
    { code: 'METHOD_NOT_SUPPORTED', status: 400 },
  )
}

const refused = (message: string) => new ServerError(message, { code: 'OIDC_TOKEN_INVALID', status: 400 })
