import { randomBytes } from 'node:crypto'
import { headers } from 'latchkey-protocol'
import { signInPaths } from 'latchkey-protocol/admin'
import { z } from 'zod'
import type { Db } from '../platform/database/openStore.ts'
import { ServerError } from '../platform/errors/ServerError.ts'
import { parseJson, validate } from '../platform/http/requestBody.ts'
import { appendOperatorLog } from '../store/operatorLog.ts'
import { isEqualDigest, operatorMac } from '../store/operatorMac.ts'
import { createOperatorSession } from '../store/operatorSessions.ts'
import { findPasskeyOperator, type PasskeyOperator } from '../webauthn/findPasskeyOperator.ts'
import { readWebauthnStamp, webauthnChallenge } from '../webauthn/webauthnStamp.ts'
import { nothing } from './adminSchemas.ts'
import type { OpenCall } from './openApi.ts'

/** Console URL, and the operators who sign in there by passkey. */
export type ConsoleAccess = { url: string; operators?: readonly PasskeyOperator[] | undefined }

export type SignInContext = {
  db: Db
  /** Key that authenticates operators' keys, sessions and log. */
  key: Uint8Array
  now(): number
  console: ConsoleAccess | undefined
}

const challengeMs = 5 * 60_000

const challengeResponse = z.object({
  challenge: z.string().describe('Include it in the body of the sign-in and stamp that body within five minutes.'),
  rpId: z.string().describe('Relying party id of operator passkeys: the host name of the console.'),
})
const signInBody = z.strictObject({ challenge: z.string().max(200) })
const signInResponse = z.object({
  operator: z.object({ id: z.string(), name: z.string(), role: z.string() }),
  secret: z.string().describe('Bearer token of the session. It is returned only once.'),
  expiresAt: z.iso
    .datetime({ offset: true })
    .describe('Latest end of the session. 30 minutes without a request also end it.'),
})

export const signInCalls: readonly OpenCall[] = [
  {
    path: signInPaths.challenge,
    name: 'session.challenge',
    summary: 'Starts a sign-in to the console.',
    headers: [],
    body: nothing,
    response: challengeResponse,
    errors: ['NOT_FOUND', 'RATE_LIMIT_EXCEEDED'],
  },
  {
    path: signInPaths.session,
    name: 'session.create',
    summary: 'Signs in the operator whose passkey stamped this body, in the same format as custody requests.',
    headers: [headers.webauthnStamp],
    body: signInBody,
    response: signInResponse,
    errors: [
      'REQUEST_INVALID',
      'SIGNATURE_MISSING',
      'SIGNATURE_INVALID',
      'CREDENTIAL_NOT_FOUND',
      'NOT_FOUND',
      'STATE_CONFLICT',
      'RATE_LIMIT_EXCEEDED',
    ],
  },
]

/** Returns a challenge that this server can verify without storing it. */
export function createChallenge({ key, now, console }: SignInContext): z.input<typeof challengeResponse> {
  const access = given(console)
  const until = now() + challengeMs
  const content = `${randomBytes(16).toString('base64url')}.${until}`
  return { challenge: `${content}.${challengeMac(key, content)}`, rpId: new URL(access.url).hostname }
}

/**
 * Signs in the operator whose passkey stamped the body (WebAuthn L3 § 7.2, with user verification).
 *
 * @throws `REQUEST_INVALID`, `SIGNATURE_MISSING`, `SIGNATURE_INVALID`, `CREDENTIAL_NOT_FOUND`, `STATE_CONFLICT`, `NOT_FOUND`.
 */
export async function signIn(
  { db, key, now, console }: SignInContext,
  request: { body: Uint8Array; headers: Headers; requestId: string },
): Promise<z.input<typeof signInResponse>> {
  const access = given(console)
  const { challenge } = validate(signInBody, parseJson(request.body))
  assertChallenge(key, challenge, now())
  const stamp = request.headers.get(headers.webauthnStamp)
  if (stamp === null)
    throw new ServerError(`The sign-in has no stamp. Send it in the header ${headers.webauthnStamp}.`, {
      code: 'SIGNATURE_MISSING',
      status: 401,
    })
  const { id, name, role } = findPasskeyOperator({
    assertion: readWebauthnStamp(stamp),
    challenge: webauthnChallenge(request.body),
    operators: access.operators ?? [],
    consoleUrl: access.url,
  })
  const session = await createOperatorSession(db, { key, now, operatorId: id, challenge })
  const entry = { key, now, operator: { id, name, role }, action: 'session.create', target: session.id }
  await appendOperatorLog(db, { ...entry, requestId: request.requestId, outcome: 'done' })
  return { operator: { id, name, role }, secret: session.secret, expiresAt: session.expiresAt.toISOString() }
}

function given(access: ConsoleAccess | undefined): ConsoleAccess {
  if (access) return access
  throw new ServerError('This server has no console: set LATCHKEY_CONSOLE_URL and LATCHKEY_OPERATORS_FILE.', {
    code: 'NOT_FOUND',
    status: 404,
  })
}

function assertChallenge(key: Uint8Array, challenge: string, now: number): void {
  const [, content = '', until = '', mac = ''] = /^([\w-]{22}\.(\d{1,16}))\.([\w-]{43})$/.exec(challenge) ?? []
  const isOurs = isEqualDigest(Buffer.from(mac), Buffer.from(challengeMac(key, content)))
  if (isOurs && Number(until) > now) return
  throw new ServerError('The challenge of this sign-in is not one of this server, or too old. Sign in again.', {
    code: 'REQUEST_INVALID',
  })
}

function challengeMac(key: Uint8Array, content: string): string {
  return Buffer.from(operatorMac(key, 'latchkey.operator-challenge.v1', [content])).toString('base64url')
}
