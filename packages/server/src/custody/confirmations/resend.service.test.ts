import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { openMail } from '../../keys/mailSeal.ts'
import { createStamp } from '../../platform/crypto/createStamp.ts'

const custody = await startTestCustody({ project: { confirmations: 'mail' } })
afterAll(() => custody.close())

const { submit, whoami } = custodyCalls(() => custody)

/** Submits a request that waits for confirmation; `again` sends the same bytes to the resend route. */
async function ask(user: TestUser) {
  const parameters = { userId: user.userId, apiKeys: [newApiKey().parameters] }
  const text = JSON.stringify(custody.activity('ACTIVITY_TYPE_CREATE_API_KEYS', user.orgId, parameters))
  const send = (path: string, key = user.key) => {
    const { stampHeaderName, stampHeaderValue } = createStamp(text, key)
    return custody.send(path, text, { [stampHeaderName]: stampHeaderValue })
  }
  const { body } = await send('/public/v1/submit/create_api_keys')
  const id: string = body.activity.id
  const again = (key = user.key) => send(custodyPaths.resendConfirmation, key)
  return { id, again, status: async () => (await send('/public/v1/submit/create_api_keys')).body.activity.status }
}

async function secrets(activityId: string): Promise<string[]> {
  const mails = await custody.store.db
    .selectFrom('mail_outbox')
    .selectAll()
    .where('activity_id', '=', activityId)
    .where('template', '=', 'confirm')
    .orderBy('created_at')
    .execute()
  return mails.map((mail) => {
    const { content } = openMail(custody.deps.mailSealKey, mail, mail.payload_sealed ?? new Uint8Array())
    return new URL(('link' in content && content.link) || '').hash.slice(1)
  })
}
const decide = (secret: string | undefined, decision: string) =>
  custody.send(custodyPaths.decideConfirmation, JSON.stringify({ secret, decision }))
const look = async (secret: string | undefined) =>
  (await custody.send(custodyPaths.readConfirmation, JSON.stringify({ secret }))).body.confirmation

test('sends a second mail whose link decides for both', async () => {
  const asked = await ask(await custody.createUser())
  const before = await look((await secrets(asked.id))[0])
  custody.advance(60_000)
  const { status, body } = await asked.again()
  expect({ status, activity: body.activity }).toMatchObject({
    status: 200,
    activity: { id: asked.id, status: 'ACTIVITY_STATUS_PENDING' },
  })
  const [first, second] = await secrets(asked.id)
  // A resent mail contains the same request and the same deadline.
  expect(await look(second)).toEqual(before)
  expect((await decide(first, 'accept')).body.confirmation.state).toBe('confirmed')
  expect((await look(second)).state).toBe('confirmed')
  expect((await decide(second, 'refuse')).status).toBe(400)
  expect(await asked.status()).toBe('ACTIVITY_STATUS_COMPLETED')
})

test('ends all sessions through one mail after a refusal through the other', async () => {
  const user = await custody.createUser()
  const asked = await ask(user)
  await asked.again()
  const [first, second] = await secrets(asked.id)
  expect((await decide(second, 'end-sessions')).status).toBe(400)
  expect((await decide(first, 'refuse')).status).toBe(200)
  expect((await look(second)).state).toBe('refused')
  expect((await decide(second, 'end-sessions')).status).toBe(200)
  expect(await whoami(user.orgId, user.key)).toBe(401)
})

test('limits repeated mails for one request', async () => {
  const asked = await ask(await custody.createUser())
  const replies = []
  for (let index = 0; index < 4; index++) replies.push((await asked.again()).status)
  expect(replies).toEqual([200, 200, 200, 429])
})

test('resends nothing for other users, nor after a decision or the deadline', async () => {
  const [user, other] = [await custody.createUser(), await custody.createUser()]
  const asked = await ask(user)
  for (const key of [other.key, newApiKey().key]) expect((await asked.again(key)).status).toBe(401)
  expect((await asked.again(custody.rootKey)).status).toBe(404)
  const unsent = JSON.stringify(custody.activity('ACTIVITY_TYPE_CREATE_API_KEYS', user.orgId, {}))
  const { stampHeaderName, stampHeaderValue } = createStamp(unsent, user.key)
  const unknown = await custody.send(custodyPaths.resendConfirmation, unsent, { [stampHeaderName]: stampHeaderValue })
  expect(unknown.status).toBe(404)
  custody.advance(16 * 60_000)
  expect((await asked.again()).status).toBe(400)
  custody.advance(-16 * 60_000)
  await decide((await secrets(asked.id))[0], 'refuse')
  expect((await asked.again()).status).toBe(400)
  const done = await submit('update_user_name', user, { userId: user.userId, userName: 'Ann' })
  expect(done.status).toBe(200)
  expect(await secrets(asked.id)).toHaveLength(1)
})

test('allows apps to resend and refuses the confirmation page by CORS', async () => {
  const allowed = async (origin: string) => {
    const headers = { origin, 'access-control-request-method': 'POST' }
    const response = await custody.app.request(custodyPaths.resendConfirmation, { method: 'OPTIONS', headers })
    return response.headers.get('access-control-allow-origin')
  }
  expect(await allowed('http://localhost:4100')).toBe('http://localhost:4100')
  expect(await allowed('http://localhost:4104')).toBeNull()
})
