import { postJson } from '../../core/http/requestJson.ts'
import type { NewPasskey } from '../../web/platform.ts'
import type { Stamp } from '../../wire/custody.ts'
import { headers, sdkVersion, signerTypes } from '../../wire/headers.ts'
import {
  type EmailAuthRequest,
  type EmailAuthResponse,
  type LookupResponse,
  type PasskeySignupRequest,
  type PasskeySignupResponse,
  type SignPayloadResponse,
  signerApiPaths,
  signerApiPrefix,
} from '../../wire/signerApi.ts'
import { NoOrgIdError } from '../errors/authErrors.ts'
import { ResponseInvalidError } from '../errors/custodyErrors.ts'
import { isText } from '../isText.ts'
import { isUser } from '../isUser.ts'
import type { TemporarySession } from '../session/TemporarySession.ts'
import type { Endpoints, SignerConnection, User } from '../types.ts'
import { signRawPayloadBody, signRawPayloadPath, whoamiBody, whoamiPath } from './bodies.ts'
import { type Clock, createClock } from './createClock.ts'

/** Signs the exact text of a body with the credential of whoever is signing in or signed in. */
export type Stamper = (body: string) => Promise<Stamp>

export type CustodyClient = {
  /** The organization of the person with this e-mail address; null when nobody has it. */
  lookup(email: string, signal?: AbortSignal): Promise<string | null>
  /** Makes a person and sends the mail. */
  signup(request: EmailAuthRequest, signal?: AbortSignal): Promise<TemporarySession>
  /** Sends the mail to a person who exists. */
  auth(request: EmailAuthRequest, signal?: AbortSignal): Promise<TemporarySession>
  /** Makes a person who signs in with this passkey. */
  signupWithPasskey(passkey: NewPasskey, signal?: AbortSignal): Promise<PasskeySignupResponse>
  whoami(orgId: string | undefined, stamp: Stamper, signal?: AbortSignal): Promise<User>
  /** Signs a 32-byte digest with the person's key. */
  signPayload(user: User, payload: `0x${string}`, stamp: Stamper, signal?: AbortSignal): Promise<`0x${string}`>
}

export declare namespace createCustodyClient {
  type Parameters = {
    connection: SignerConnection
    endpoints: Endpoints
    clock?: Clock | undefined
  }
  type ReturnType = CustodyClient
}

/**
 * The signer service's calls, `POST {base}/signer/v1/*`. What only the person may ask travels stamped: the exact body
 * for the custody service, its stamp, and the address it is for.
 */
export function createCustodyClient(parameters: createCustodyClient.Parameters): createCustodyClient.ReturnType {
  const { connection, endpoints, clock = createClock() } = parameters
  const base = (connection.rpcUrl ?? endpoints.signerApiUrl).replace(/\/+$/, '')
  const token = connection.apiKey ?? connection.jwt

  const call = (path: string, body: unknown, signal?: AbortSignal) =>
    postJson({
      url: `${base}${signerApiPrefix}${path}`,
      body,
      headers: {
        ...(token ? { Authorization: `Bearer ${token}` } : {}),
        [headers.sdkVersion]: sdkVersion,
        [headers.signerType]: signerTypes.embedded,
      },
      signal,
    })
  const stamped = async (path: string, custodyPath: string, body: string, stamp: Stamper, signal?: AbortSignal) => {
    const [{ custodyUrl }, header] = await Promise.all([endpoints.getConfig(), stamp(body)])
    const url = `${custodyUrl.replace(/\/+$/, '')}${custodyPath}`
    return call(path, { stampedRequest: { body, stamp: header, url } }, signal)
  }

  return {
    async lookup(email, signal) {
      const answer = (await call(signerApiPaths.lookup, { email }, signal)) as LookupResponse | null
      if (typeof answer !== 'object' || answer === null) throw new ResponseInvalidError('a look-up')
      const { orgId = null } = answer
      if (orgId !== null && !isText(orgId)) throw new ResponseInvalidError('a look-up')
      return orgId
    },
    async signup(request, signal) {
      return readMail(await call(signerApiPaths.signup, inOrder(request), signal), 'a sign-up')
    },
    async auth(request, signal) {
      return readMail(await call(signerApiPaths.auth, inOrder(request), signal), 'a log-in')
    },
    async signupWithPasskey({ challenge, attestation }, signal) {
      const request: PasskeySignupRequest = { passkey: { challenge, attestation } }
      const user = await call(signerApiPaths.signup, request, signal)
      if (!isUser(user)) throw new ResponseInvalidError('a sign-up')
      return { orgId: user.orgId, userId: user.userId, address: user.address }
    },
    async whoami(orgId, stamp, signal) {
      if (!orgId) throw new NoOrgIdError()
      const user = await stamped(signerApiPaths.whoami, whoamiPath, whoamiBody(orgId), stamp, signal)
      if (!isUser(user)) throw new ResponseInvalidError('who signed in')
      return pickUser(user)
    },
    async signPayload({ orgId, address: signWith }, payload, stamp, signal) {
      const answer = await clock.withTime((timestampMs) => {
        const body = signRawPayloadBody({ orgId, payload, signWith, timestampMs })
        return stamped(signerApiPaths.signPayload, signRawPayloadPath, body, stamp, signal)
      })
      const signature = (answer as Partial<SignPayloadResponse> | null)?.signature
      if (typeof signature !== 'string' || !/^0x[0-9a-f]{130}$/i.test(signature)) {
        throw new ResponseInvalidError('a signature')
      }
      return signature
    },
  }
}

/** Member order of the documented wire; undefined members are left out by JSON. */
function inOrder({ email, targetPublicKey, expirationSeconds, redirectParams }: EmailAuthRequest): EmailAuthRequest {
  return {
    email,
    targetPublicKey,
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    ...(redirectParams === undefined ? {} : { redirectParams }),
  }
}

function readMail(answer: unknown, what: string): TemporarySession {
  const { orgId, otpId } = (answer ?? {}) as Partial<Record<keyof EmailAuthResponse, unknown>>
  if (!isText(orgId)) throw new ResponseInvalidError(what)
  return { orgId, ...(isText(otpId) && { otpId }) }
}

/** Only the known members, in the order they are stored in. */
function pickUser({ email, orgId, userId, address, credentialId }: User): User {
  return {
    ...(email === undefined ? {} : { email }),
    orgId,
    userId,
    address,
    ...(credentialId === undefined ? {} : { credentialId }),
  }
}
