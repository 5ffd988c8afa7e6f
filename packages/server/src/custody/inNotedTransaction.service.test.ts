import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { createCarefulProject } from '@latchkey/testkit/carefulProject'
import { startTestCustody } from '@latchkey/testkit/custody'
import { custodyCalls, newApiKey } from '@latchkey/testkit/custodyCalls'
import { createOwner, submission, submitExamples } from '@latchkey/testkit/custodyExamples'
import { purgeCustody } from '@latchkey/testkit/purgeCustody'
import { createTestFrame } from '@latchkey/testkit/signerApi'
import { afterAll, expect, test } from 'vitest'
import { findActivityEvent, readSecurityCounters } from '../platform/observability/securityEvents.ts'
import { submits } from './calls/table.ts'
import { inNotedTransaction } from './inNotedTransaction.ts'

const careful = createCarefulProject()
const custody = await startTestCustody({ projects: [careful] })
afterAll(() => custody.close())
const { submit, addKeys } = custodyCalls(() => custody)

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
  custody.createUser({ rootOrganizationId: careful.organizationId, passkeys: [createAuthenticator().register()] })

test.each(Object.keys(submits))('logs the event of %s once', async (call) => {
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
    const { status } = await custody.call(`submit/${call}`, request, key)
    expect(status).toBe(call === 'delete_sub_organization' ? 403 : 200)
  })
  expect(names(events)).toEqual(expected ? [expected] : [])
  if (!expected) return
  expect(events[0]).toMatchObject({ activityType: type, requestId: expect.stringMatching(/^[\w-]{8,}$/) })
  expect(readSecurityCounters().get(expected)).toBe(before + 1)
})

test('maps every activity version to an event', () => {
  for (const { types } of Object.values(submits))
    for (const type of Object.keys(types)) expect(findActivityEvent(type), type).not.toBeUndefined()
})

test('logs a confirmed activity only after confirmation', async () => {
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
  expect(names(await watch(() => custody.decide(activityId)))).toEqual([])
})

test('logs a refusal and the end of all sessions', async () => {
  const user = await createUser()
  const { targetPublicKey } = await createTestFrame()
  const { body } = await submit('export_wallet_account', user, { address: user.address, targetPublicKey })
  expect(names(await watch(() => custody.decide(body.activity.id, 'refuse')))).toEqual(['confirmation_refused'])
  expect(names(await watch(() => custody.decide(body.activity.id, 'end-sessions')))).toEqual(['sessions_revoked'])
})

test('logs the destruction of keys after the grace time', async () => {
  const user = await custody.createUser()
  const deleted = await watch(() => submit('delete_sub_organization', user, { deleteWithoutExport: true }))
  expect(names(deleted)).toEqual(['deletion_planned'])
  const { now = Date.now } = custody.deps
  const destroyed = await watch(() => purgeCustody(custody, { now: () => now() + 30 * 86_400_000 }))
  expect(destroyed).toContainEqual(expect.objectContaining({ event: 'keys_destroyed', organizationId: user.orgId }))
})

test('logs nothing of a rolled-back transaction', async () => {
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
