import {
  custodyPaths,
  type EmailAuthRequest,
  type EmailAuthResponse,
  headers,
  type LookupResponse,
  type PasskeySignupRequest,
  type PasskeySignupResponse,
  type PublicConfig,
  type QueryBinding,
  type SignablePayload,
  type SignRawPayloadParameters,
  type SignRawPayloadResult,
  type Stamp,
  type StampedRequest,
  sdkVersion,
  signerApiPaths,
  signerApiPrefix,
  signerTypes,
  type WhoamiRequest,
} from 'latchkey-protocol'
import { postJson } from '../../../core/http/requestJson.ts'
import type { NewPasskey } from '../../../web/platform.ts'
import { NoOrgIdError } from '../../errors/authErrors.ts'
import { ResponseInvalidError } from '../../errors/custodyErrors.ts'
import { isCodeLength, isText, isUser } from '../../guards.ts'
import type { TemporarySession } from '../../session/Session.ts'
import type { Endpoints, SignerConnection, User } from '../../types.ts'
import type { Trust } from '../trust/createTrust.ts'
import type { Clock } from './createClock.ts'
import { activity, type CustodyApi, type StampedBody, type Stamper } from './createCustodyApi.ts'
import { withQueryBody } from './queryBody.ts'
import { readCredential } from './sessionKeys.ts'

export type SignerApi = {
  post(path: string, body: object, signal?: AbortSignal): Promise<unknown>
  /** Returns the organization of the user with this e-mail address; null if there is none. */
  lookup(email: string, signal?: AbortSignal): Promise<string | null>
  /** Creates a user and sends a sign-in e-mail. */
  signup(request: EmailAuthRequest, signal?: AbortSignal): Promise<TemporarySession>
  /** Sends a sign-in e-mail to an existing user. */
  auth(request: EmailAuthRequest, signal?: AbortSignal): Promise<TemporarySession>
  /** Creates a user who signs in with this passkey. */
  signupWithPasskey(passkey: NewPasskey, signal?: AbortSignal): Promise<PasskeySignupResponse>
  /** Returns the user whose credential stamps this request, or has stamped the given body. */
  whoami(orgId: string | undefined, by: Stamper | StampedBody, signal?: AbortSignal): Promise<User>
  /** Stamps a `whoami` request that is valid only for servers of the page's project, and passes it to `use`. */
  stampForServers<result>(
    orgId: string,
    stamp: Stamper,
    use: (stampedRequest: StampedRequest) => Promise<result>,
  ): Promise<result>
  call(path: string, body: unknown, signal?: AbortSignal): Promise<unknown>
  /** Signs with the user's key. If the service's rules require it, waits until the user confirms. */
  signPayload(user: User, signable: Signable, stamp: Stamper, signal?: AbortSignal): Promise<`0x${string}`>
}

export type Signable =
  /** Digest to sign. `content`: the data that was hashed, for services that inspect it. */
  | { hash: `0x${string}`; content?: SignablePayload | undefined }
  /** Content that every service hashes itself, so that the digest is never signed blindly. */
  | { hash?: undefined; content: SignablePayload }

export declare namespace createSignerApi {
  type Parameters = {
    connection: SignerConnection
    endpoints: Endpoints
    clock: Clock
    trust: Pick<Trust, 'checkAccount'>
    custodyApi: Pick<CustodyApi, 'finish'>
  }
  type ReturnType = SignerApi
}

/**
 * Creates the client of the signer service, `POST {base}/signer/v1/*`. A request that only the user may make contains a
 * stamped custody request: its exact body, the stamp and the target URL.
 *
 * @throws `HTTP_FAILED`, `NETWORK_UNREACHABLE`, `NO_ORG_ID`, `RESPONSE_INVALID`, `TIMEOUT`.
 */
export function createSignerApi(parameters: createSignerApi.Parameters): createSignerApi.ReturnType {
  const { endpoints, clock, trust, custodyApi } = parameters
  const { call, toStamped, callStamped } = createCalls(parameters)
  return {
    post: call,
    async lookup(email, signal) {
      const response = (await call(signerApiPaths.lookup, { email }, signal)) as LookupResponse | null
      if (typeof response !== 'object' || response === null) throw new ResponseInvalidError('a look-up')
      const { orgId = null } = response
      if (orgId !== null && !isText(orgId)) throw new ResponseInvalidError('a look-up')
      return orgId
    },
    async signup(request, signal) {
      return readMail(await call(signerApiPaths.signup, inWireOrder(request), signal), 'a sign-up')
    },
    async auth(request, signal) {
      return readMail(await call(signerApiPaths.auth, inWireOrder(request), signal), 'a log-in')
    },
    async signupWithPasskey({ challenge, attestation }, signal) {
      const { boundQueries } = await endpoints.getConfig()
      const request: PasskeySignupRequest = {
        passkey: { challenge, attestation },
        ...(boundQueries && { statement: true }),
      }
      const user = await call(signerApiPaths.signup, request, signal)
      if (!isUser(user)) throw new ResponseInvalidError('a sign-up')
      await trust.checkAccount(user, readStatement(user), () => attestation.credentialId)
      return { orgId: user.orgId, userId: user.userId, address: user.address }
    },
    whoami: createWhoami(parameters, callStamped),
    async stampForServers(orgId, stamp, use) {
      const { projectId: audience } = await endpoints.getConfig()
      const path = custodyPaths.whoami
      const request: WhoamiRequest = { organizationId: orgId, audience }
      return withQueryBody(parameters, path, request, async (body) =>
        use(await toStamped({ path, body, stamp: stamp(body) })),
      )
    },
    call,
    async signPayload({ orgId, address }, signable, stamp, signal) {
      const { readsPayloads } = await endpoints.getConfig()
      const { hash, content } = signable
      const payload = hash === undefined ? signable.content : (readsPayloads && content) || digest(hash)
      const { path, body, resultKey } = signRawPayload(orgId, payload, address)
      const { response, sent } = await clock.withTime(async (timestampMs) => {
        const text = body(timestampMs)
        const stamped = stamp(text)
        const response = await callStamped(signerApiPaths.signPayload, { path, body: text, stamp: stamped }, signal)
        return { response: (response ?? {}) as Answer, sent: { path, text, stamped, resultKey } }
      })
      const signature = response.activity
        ? joinSignature(await custodyApi.finish(response.activity, sent, stamp, signal))
        : response.signature
      if (typeof signature !== 'string' || !/^0x[0-9a-f]{130}$/i.test(signature)) {
        throw new ResponseInvalidError('a signature')
      }
      return signature as `0x${string}`
    },
  }
}

/** Creates functions that call the signer service, with or without a stamped custody request. */
function createCalls({ connection, endpoints }: createSignerApi.Parameters) {
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
  const toStamped = async (custody: CustodyCall): Promise<StampedRequest> => {
    const { body } = custody
    const [{ custodyUrl }, stamp] = await Promise.all([endpoints.getConfig(), custody.stamp])
    return { body, stamp, url: `${custodyUrl.replace(/\/+$/, '')}${custody.path}` }
  }
  const callStamped: CallStamped = async (path, custody, signal) =>
    call(path, { stampedRequest: await toStamped(custody) }, signal)
  return { call, toStamped, callStamped }
}

type Answer = { signature?: unknown; activity?: unknown }

/** Converts custody's signature to 65 bytes with `v` 27 or 28. */
export function joinSignature(result: unknown): string {
  const { r, s, v } = (result ?? {}) as Partial<SignRawPayloadResult>
  return `0x${r}${s}${v === '00' ? '1b' : '1c'}`
}

type CustodyCall = { path: string; body: string; stamp: Promise<Stamp> | Stamp }

type CallStamped = (path: string, custody: CustodyCall, signal?: AbortSignal) => Promise<unknown>

function createWhoami(parameters: createSignerApi.Parameters, callStamped: CallStamped): SignerApi['whoami'] {
  const path = custodyPaths.whoami
  return async (orgId, by, signal) => {
    if (!orgId) throw new NoOrgIdError()
    const send = async (body: string, stamping: Promise<Stamp> | Stamp) => {
      const stamp = await stamping
      const user = await callStamped(signerApiPaths.whoami, { path, body, stamp }, signal)
      if (!isUser(user)) throw new ResponseInvalidError('the user')
      await parameters.trust.checkAccount(user, readStatement(user), () => readCredential(stamp))
      return pickUser(user)
    }
    const request: WhoamiRequest = { organizationId: orgId }
    if (typeof by !== 'function') return send(by.body, by.stamp)
    return withQueryBody(parameters, path, request, (body) => send(body, by(body)))
  }
}

/**
 * Returns the `whoami` body that a passkey signs when picked in a form field. Without a timestamp, because the offer
 * may stay open for hours.
 */
export function offeredBody({ boundQueries }: PublicConfig, orgId: string): string {
  const request: WhoamiRequest & QueryBinding = { organizationId: orgId }
  return JSON.stringify({ ...request, ...(boundQueries && { path: custodyPaths.whoami }) })
}

/** Returns custody's signed statement about the account, if the response contains one. */
function readStatement(response: object): unknown {
  return (response as { account?: unknown }).account
}

/** Returns the activity that signs a payload. Its timestamp distinguishes two activities with the same payload. */
export function signRawPayload(orgId: string, payload: SignablePayload, signWith: string) {
  return activity('signRawPayload', orgId, { ...payload, signWith } satisfies SignRawPayloadParameters)
}

const digest = (payload: string): SignablePayload => ({
  encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
  hashFunction: 'HASH_FUNCTION_NO_OP',
  payload,
})

/** Returns the members in the documented order, without undefined members. */
function inWireOrder({
  email,
  targetPublicKey,
  expirationSeconds,
  redirectParams,
  ...rest
}: EmailAuthRequest): EmailAuthRequest {
  return {
    email,
    targetPublicKey,
    ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    ...(redirectParams === undefined ? {} : { redirectParams }),
    ...rest,
  }
}

function readMail(response: unknown, what: string): TemporarySession {
  const { orgId, otpId, otpLength } = (response ?? {}) as Partial<Record<keyof EmailAuthResponse, unknown>>
  if (!isText(orgId)) throw new ResponseInvalidError(what)
  return { orgId, ...(isText(otpId) && { otpId, ...(isCodeLength(otpLength) && { otpLength }) }) }
}

/** Returns the known members, in the order in which they are stored. */
function pickUser({ email, orgId, userId, address, credentialId }: User): User {
  return {
    ...(email === undefined ? {} : { email }),
    orgId,
    userId,
    address,
    ...(credentialId === undefined ? {} : { credentialId }),
  }
}
