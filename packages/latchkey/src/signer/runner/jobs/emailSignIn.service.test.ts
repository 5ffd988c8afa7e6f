import { type Listening, listen, readBody } from '@latchkey/testkit/signer/listen'
import { strangerPublicKey } from '@latchkey/testkit/signer/sealBundle'
import { memoryPlatform } from '@latchkey/testkit/wallet/memoryPlatform'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openSessionStore } from '../../session/createSessionStore.ts'
import { createContext, type SignerContext } from '../createContext.ts'
import { sendMail } from './emailSignIn.ts'

let server: Listening
let seen: { path: string; body: Record<string, unknown> }[]
let known: string | null
const targetPublicKey = strangerPublicKey()

beforeEach(async () => {
  seen = []
  known = null
  server = await listen(async (request, response) => {
    const path = request.url ?? ''
    seen.push({ path, body: JSON.parse(await readBody(request)) })
    response.end(JSON.stringify(path.endsWith('/lookup') ? { orgId: known } : { orgId: 'made', otpId: 'code' }))
  })
})
afterEach(() => server.close())

function context(): SignerContext {
  const parameters = {
    client: { connection: { rpcUrl: server.url } },
    sessionConfig: { expirationTimeMs: 900_500 },
  }
  const platform = memoryPlatform()
  return {
    ...createContext({ parameters, platform, store: openSessionStore(parameters.sessionConfig, platform) }),
    // Requesting an e-mail needs only the frame's key.
    authFrame: { publicKey: async () => targetPublicKey, isKept: async () => true } as SignerContext['authFrame'],
    now: () => 1_000,
  }
}
const signal = new AbortController().signal
const email = 'A@x.com'

test('signs up an unknown user and marks the link', async () => {
  const sent = await sendMail(context(), { type: 'email', email }, signal)
  const mailEndsMs = 902_000
  const temporary = { orgId: 'made', otpId: 'code', email, endsMs: mailEndsMs, isNewUser: true }
  expect(sent).toEqual({ temporary, mailEndsMs })
  expect(seen.map(({ path }) => path)).toEqual(['/signer/v1/lookup', '/signer/v1/signup'])
  // Rounds the session lifetime up to whole seconds.
  expect(seen[1]?.body).toEqual({ email, targetPublicKey, expirationSeconds: 901, redirectParams: 'aa-is-signup=true' })
})

test('logs in a known user with the given parameters only', async () => {
  known = 'org'
  const redirectParams = new URLSearchParams('a=b c')
  const sent = await sendMail(context(), { type: 'email', email, redirectParams, expirationSeconds: 60 }, signal)
  expect(sent.temporary).toEqual({ orgId: 'made', otpId: 'code', email, endsMs: 61_000 })
  expect(seen[1]).toEqual({
    path: '/signer/v1/auth',
    body: { email, targetPublicKey, expirationSeconds: 60, redirectParams: 'a=b+c' },
  })
  await sendMail(context(), { type: 'email', email, redirectParams: new URLSearchParams() }, signal)
  expect(seen[3]?.body).not.toHaveProperty('redirectParams')
})

test('keeps the sign-up mark of a repeated mail', async () => {
  const page = context()
  const first = await sendMail(page, { type: 'email', email }, signal)
  page.store.writeTemporary(first.temporary)
  known = 'made'
  const redirectParams = new URLSearchParams('x=1&aa-is-signup=true')
  const again = await sendMail(page, { type: 'email', email: 'a@X.com', redirectParams }, signal)
  expect(again.temporary).toMatchObject({ isNewUser: true, olderOtpId: 'code' })
  expect(seen[3]).toMatchObject({ path: '/signer/v1/auth', body: { redirectParams: 'aa-is-signup=true&x=1' } })
  expect(redirectParams.toString()).toBe('x=1&aa-is-signup=true')
  known = 'another'
  const other = await sendMail(page, { type: 'email', email }, signal)
  expect([other.temporary.isNewUser, other.temporary.olderOtpId]).toEqual([undefined, 'code'])
})
