import { randomUUID } from 'node:crypto'
import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { hashMessage } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'

let custody: TestCustody
let user: TestUser
let activity: { id: string }
beforeAll(async () => {
  custody = await startTestCustody()
  user = await custody.createUser()
  const request = custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', user.orgId, {
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_NO_OP',
    payload: hashMessage('hello'),
    signWith: user.address,
  })
  activity = (await custody.call('submit/sign_raw_payload', request, user.key)).body.activity
})
afterAll(() => custody.close())

const get = (organizationId: string, activityId: string, key = user.key) =>
  custody.call('query/get_activity', { activityId, organizationId }, key)

test('default', async () => {
  expect(await get(user.orgId, activity.id)).toEqual({ status: 200, body: { activity } })
})

test('behavior: the parent may read it', async () => {
  expect((await get(user.orgId, activity.id, custody.rootKey)).body).toEqual({ activity })
})

test('error: another user may not', async () => {
  const other = await custody.createUser()
  expect(await get(user.orgId, activity.id, other.key)).toMatchObject({ status: 401, body: { code: 16 } })
  expect(await get(other.orgId, activity.id, other.key)).toMatchObject({ status: 404, body: { code: 5 } })
})

test('error: no such activity', async () => {
  expect(await get(user.orgId, randomUUID())).toMatchObject({ status: 404, body: { code: 5 } })
  expect(await get(user.orgId, 'x')).toMatchObject({ status: 400, body: { code: 3 } })
})
