import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { createCarefulProject } from '@latchkey/testkit/carefulProject'
import { startTestCustody, type TestCustody } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { createOwner, submission, submitExamples } from '@latchkey/testkit/custodyExamples'
import { purgeCustody } from '@latchkey/testkit/purgeCustody'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findActivityEvent, readSecurityCounters } from '../platform/observability/securityEvents.ts'
import { submits } from './calls/table.ts'
import { inNotedTransaction } from './inNotedTransaction.ts'

const careful = createCarefulProject()
let custody: TestCustody
beforeAll(async () => {
  custody = await startTestCustody({ projects: [careful] })
})
afterAll(() => custody?.close())
const { submit, addKeys } = custodyCalls(() => custody)

/** Events that were logged during `act`. */
async function watch(act: () => Promise<unknown>) {
  const before = custody.logs.length
  await act()
  return custody.logs.slice(before).flatMap((line) => {
    const { event, ...fields } = JSON.parse(line.slice(line.indexOf('{')))
    return event ? [{ event: event as string, ...fields }] : []
  })
}
const names = (events: { event: string }[]) => events.map(({ event }) => event)
const createUser = () =>
  custody.createUser({
    rootOrganizationId: careful.organizationId,
    passkeys: [createAuthenticator().register()],
  })

test.each(Object.keys(submits))('default: %s', async (call) => {
  const example = submitExamples[call]
  const owner = await createOwner(custody, example?.threshold)
  const request = JSON.stringify(await submission(custody, owner, call))
  const { type } = JSON.parse(request)
  const key = example?.by === 'parent' ? custody.rootKey : owner.key
  const expected = findActivityEvent(type)
  expect(expected, type).not.toBeUndefined()
  const before = expected ? (readSecurityCounters().get(expected) ?? 0) : 0
  const events = await watch(async () => {
    expect((await custody.call(`submit/${call}`, request, key)).status).toBe(200)
    // Sent again because the response was lost: it was done once. A deleted organization takes nothing.
    const { status } = await custody.call(`submit/${call}`, request, key)
    expect(status).toBe(call === 'delete_sub_organization' ? 403 : 200)
  })
  expect(names(events)).toEqual(expected ? [expected] : [])
  if (!expected) return
  expect(events[0]).toMatchObject({ activityType: type, requestId: expect.stringMatching(/^[\w-]{8,}$/) })
  expect(readSecurityCounters().get(expected)).toBe(before + 1)
})

test('behavior: every version of an activity is in the table', () => {
  for (const { types } of Object.values(submits))
    for (const type of Object.keys(types)) expect(findActivityEvent(type), type).not.toBeUndefined()
})

test('behavior: what a person is asked to confirm is done only then', async () => {
  const user = await createUser()
  let activityId = ''
  const asked = await watch(async () => {
    const { body } = await addKeys(user, [newApiKey().parameters])
    activityId = body.activity.id
  })
  expect(asked).toMatchObject([
    { event: 'confirmation_asked', organizationId: user.orgId, userId: user.userId, activityId },
  ])
  expect(names(await watch(() => custody.decide(activityId)))).toEqual(['confirmation_given', 'credential_added'])
  // Once.
  expect(names(await watch(() => custody.decide(activityId)))).toEqual([])
})

test('behavior: a refusal, and the end of all sessions', async () => {
  const user = await createUser()
  const { targetPublicKey } = await createTestFrame()
  const { body } = await submit('export_wallet_account', user, { address: user.address, targetPublicKey })
  expect(names(await watch(() => custody.decide(body.activity.id, 'refuse')))).toEqual(['confirmation_refused'])
  expect(names(await watch(() => custody.decide(body.activity.id, 'end-sessions')))).toEqual(['sessions_revoked'])
})

test('behavior: the end of the grace time', async () => {
  const user = await custody.createUser()
  const deleted = await watch(() => submit('delete_sub_organization', user, { deleteWithoutExport: true }))
  expect(names(deleted)).toEqual(['deletion_planned'])
  const { now = Date.now } = custody.deps
  const destroyed = await watch(() => purgeCustody(custody, { now: () => now() + 30 * 86_400_000 }))
  expect(destroyed).toContainEqual(expect.objectContaining({ event: 'keys_destroyed', organizationId: user.orgId }))
})

test('error: what is rolled back is no event', async () => {
  const { db, logger, rootOrganizationId } = custody.deps
  const context = { db, logger, rootOrganizationId, projects: [] }
  const events = await watch(() =>
    expect(
      inNotedTransaction(context, 'request-1', async (_db, { note }) => {
        note({ event: 'exported', organizationId: 'o' })
        throw new TypeError('no')
      }),
    ).rejects.toThrow('no'),
  )
  expect(events).toEqual([])
})
