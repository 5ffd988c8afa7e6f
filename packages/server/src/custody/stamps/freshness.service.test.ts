import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody } from '@latchkey/testkit/custody'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, describe, expect, test } from 'vitest'
import { createStamp } from '../../platform/crypto/createStamp.ts'

// The attacker captured a stamped request from a signer service, a proxy or a log.

const minuteMs = 60_000

const custody = await startTestCustody()
const user = await custody.createUser()
afterAll(() => custody.close())

const now = () => String(custody.deps.now?.())
const whoamiPath = '/public/v1/query/whoami'
function capture(members: object = {}, { orgId, key } = user) {
  const body = JSON.stringify({ organizationId: orgId, ...members })
  const { stampHeaderName, stampHeaderValue } = createStamp(body, key)
  const send = (path = whoamiPath, value = stampHeaderValue) => custody.send(path, body, { [stampHeaderName]: value })
  return { send, stamp: stampHeaderValue }
}
const refused = (status: number, why: string) => ({ status, body: { message: expect.stringContaining(why) } })
const stale = refused(401, 'first used more than five minutes ago')
const rows = async () => (await custody.store.db.selectFrom('query_stamps').select('digest').execute()).length

describe('a body with path and time', () => {
  test('accepts the request at its path and time, and stores nothing', async () => {
    const before = await rows()
    const { send } = capture({ path: whoamiPath, timestampMs: now() })
    expect(await send()).toMatchObject({ status: 200, body: { userId: user.userId } })
    expect(await rows()).toBe(before)
  })

  test('refuses another path', async () => {
    const { send } = capture({ path: whoamiPath, timestampMs: now() })
    for (const path of ['list_wallets', 'get_api_keys', 'get_organization', 'list_activities'])
      expect(await send(`/public/v1/query/${path}`)).toMatchObject(refused(400, `was stamped for ${whoamiPath}`))
  })

  test('refuses a request past or before its time', async () => {
    const { send } = capture({ path: whoamiPath, timestampMs: now() })
    expect((await send()).status).toBe(200)
    custody.advance(9 * minuteMs)
    expect((await send()).status).toBe(200)
    custody.advance(2 * minuteMs)
    expect(await send()).toMatchObject(refused(400, 'timestampMs lies too far in the past'))
    const early = capture({ path: whoamiPath, timestampMs: String(Number(now()) + 6 * minuteMs) })
    expect(await early.send()).toMatchObject(refused(400, 'timestampMs lies in the future'))
  })
})

describe('a body without path and time', () => {
  test('accepts the request for five minutes after its first use', async () => {
    const { send } = capture()
    expect((await send()).status).toBe(200)
    custody.advance(4 * minuteMs)
    expect((await send()).status).toBe(200)
    custody.advance(2 * minuteMs)
    expect(await send()).toMatchObject(stale)
    expect(await send('/public/v1/query/list_wallets')).toMatchObject(stale)
    custody.advance(300 * minuteMs)
    expect(await send()).toMatchObject(stale)
    const copy = await custody.startCopy()
    const body = JSON.stringify({ organizationId: user.orgId })
    const again = createStamp(body, user.key)
    const init = { method: 'POST', body, headers: { [again.stampHeaderName]: again.stampHeaderValue } }
    expect((await copy.request(whoamiPath, init)).status).toBe(200)
  })

  test('binds a request with a path alone to the path for five minutes', async () => {
    const { send } = capture({ path: whoamiPath })
    expect((await send()).status).toBe(200)
    expect(await send('/public/v1/query/list_wallets')).toMatchObject(refused(400, 'was stamped for'))
    custody.advance(6 * minuteMs)
    expect(await send()).toMatchObject(stale)
  })

  test('recognizes a signature in another spelling', async () => {
    const { send, stamp } = capture()
    expect((await send()).status).toBe(200)
    custody.advance(6 * minuteMs)
    const parts = JSON.parse(Buffer.from(stamp, 'base64url').toString()) as Record<string, string>
    const { r, s } = p256.Signature.fromBytes(Buffer.from(parts.signature ?? '', 'hex'), 'der')
    const twin = new p256.Signature(r, p256.Point.Fn.ORDER - s).toHex('der')
    const spelled = (members: object) => Buffer.from(JSON.stringify({ ...parts, ...members })).toString('base64url')
    for (const other of [
      spelled({ signature: twin }),
      spelled({ publicKey: parts.publicKey?.toUpperCase() }),
      spelled({ more: 1 }),
      `${stamp}=`,
    ])
      expect((await send(whoamiPath, other)).status).toBe(401)
    expect(await send(whoamiPath, spelled({ signature: twin }))).toMatchObject(stale)
  })
})

test('refuses an old assertion of a passkey without a counter', async () => {
  const passkey = createAuthenticator({ counts: false })
  const { orgId } = await custody.createUser({ passkeys: [passkey.register()] })
  const body = JSON.stringify({ organizationId: orgId })
  const headers = { 'x-stamp-webauthn': passkey.stamp(body) }
  const send = (query: string) => custody.send(`/public/v1/query/${query}`, body, headers)
  for (const query of ['whoami', 'list_wallets']) expect((await send(query)).status).toBe(200)
  custody.advance(6 * minuteMs)
  for (const query of ['whoami', 'list_wallets']) expect(await send(query)).toMatchObject(stale)
})

test('accepts unbound queries forever if the project allows it', async () => {
  const project = { id: 'lenient', name: 'Lenient', apiKey: 'key-of-lenient', redirectUrls: [] }
  const allowedOrigins = ['https://lenient.example']
  const other = await startTestCustody({ projects: [{ ...project, allowedOrigins, unboundQueries: 'always' }] })
  try {
    const { orgId, key } = await other.createUser()
    const body = JSON.stringify({ organizationId: orgId })
    const { stampHeaderName, stampHeaderValue } = createStamp(body, key)
    const send = () => other.send(whoamiPath, body, { [stampHeaderName]: stampHeaderValue })
    expect((await send()).status).toBe(200)
    other.advance(60 * minuteMs)
    expect((await send()).status).toBe(200)
  } finally {
    await other.close()
  }
})
