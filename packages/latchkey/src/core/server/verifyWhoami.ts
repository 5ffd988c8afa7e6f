import {
  custodyPaths,
  type StampedRequest,
  signerApiPaths,
  signerApiPrefix,
  type WhoamiUserResponse,
} from 'latchkey-protocol'
import { type Address, isAddress } from 'viem'
import { BaseError } from '../errors/BaseError.ts'
import { HttpError } from '../errors/HttpError.ts'
import { postJson } from '../http/requestJson.ts'

export declare namespace verifyWhoami {
  type Parameters = {
    /** Result of `stampWhoami`, parsed from the page's request to the app's server. */
    stampedRequest: StampedRequest
    /** API key of the project. */
    apiKey: string
    /** URL of the signer service, as in `latchkeyEndpoints`. */
    signerApiUrl: string
    /**
     * Timeout in milliseconds.
     * @default 5_000
     */
    timeoutMs?: number | undefined
  }
  type ReturnType = Promise<Pick<WhoamiUserResponse, 'orgId' | 'userId' | 'address' | 'email'>>
}

/**
 * Verifies a stamped `whoami` request at the signer service and returns the user. Costs one request to the service, but
 * rejects an ended session immediately; an access token stays valid until it expires.
 *
 * @throws `UNAUTHENTICATED` (respond with 401), `NETWORK_UNREACHABLE`, `TIMEOUT`, `HTTP_FAILED`, `RESPONSE_INVALID`.
 *
 * @example
 * ```ts
 * import { verifyWhoami } from 'latchkey/server'
 *
 * export async function handle(request: Request): Promise<Response> {
 *   const stampedRequest = await request.json()
 *   const user = await verifyWhoami({ stampedRequest, apiKey: 'project-key', signerApiUrl: 'http://localhost:4101' })
 *   return Response.json({ hello: user.address })
 * }
 * ```
 */
export async function verifyWhoami(parameters: verifyWhoami.Parameters): verifyWhoami.ReturnType {
  const { stampedRequest, apiKey, signerApiUrl, timeoutMs = 5_000 } = parameters
  // The service would also accept stamped requests for other paths, but their responses do not prove an identity.
  if (typeof stampedRequest?.url !== 'string' || !stampedRequest.url.endsWith(custodyPaths.whoami))
    throw refused('The request is not the result of stampWhoami. Pass that result unchanged.')
  const url = `${signerApiUrl.replace(/\/+$/, '')}${signerApiPrefix}${signerApiPaths.whoami}`
  const headers = { Authorization: `Bearer ${apiKey}` }
  const user = await postJson({ url, headers, body: { stampedRequest }, timeoutMs }).catch((error: unknown) => {
    const isRefused = error instanceof HttpError && error.status >= 400 && error.status < 500 && error.status !== 429
    throw isRefused ? refused('The stamp is invalid, or its session has ended. Call stampWhoami again.', error) : error
  })
  const { orgId, userId, address, email } = (user ?? {}) as Partial<WhoamiUserResponse>
  if (typeof orgId !== 'string' || typeof userId !== 'string' || !isAddress(address ?? ''))
    throw new BaseError('The signer service sent an invalid user.', { code: 'RESPONSE_INVALID' })
  return { orgId, userId, address: address as Address, ...(email !== undefined && { email }) }
}

const refused = (message: string, cause?: unknown) =>
  new BaseError(message, { code: 'UNAUTHENTICATED', name: 'WhoamiError', cause })
