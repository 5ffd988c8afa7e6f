import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { takeToken } from '../../store/rateLimits/takeToken.ts'
import { limitOrganization } from './limitOrganization.ts'

let custody: TestCustody
beforeAll(async () => {
  custody = await startTestCustody()
})
afterAll(() => custody.close())

test('default', async () => {
  const { db } = custody.store
  const [user, other] = [await custody.createUser(), await custody.createUser()]
  const make = ({ orgId, key }: typeof user) => {
    const request = custody.activity('ACTIVITY_TYPE_CREATE_WALLET', orgId, { walletName: 'W', accounts: [] })
    return custody.call('submit/create_wallet', request, key)
  }
  expect((await make(user)).status).toBe(200)
  // As though it had had done what it may in a minute, and more than comes back while this runs.
  await takeToken(db, { key: `activities ${user.orgId}`, limit: 2, windowMs: 7_200_000 })
  expect(await make(user)).toMatchObject({
    status: 429,
    body: { code: 8, details: [{ turnkeyErrorCode: 'RATE_LIMIT_EXCEEDED' }] },
  })
  expect((await make(other)).status).toBe(200)
})

test('behavior: a parent acts for everybody', async () => {
  const { db } = custody.store
  const id = custody.rootOrganizationId
  await takeToken(db, { key: `activities ${id}`, limit: 1, windowMs: 3_600_000 })
  await expect(limitOrganization({ db }, { id, parentId: null })).resolves.toBeUndefined()
})
