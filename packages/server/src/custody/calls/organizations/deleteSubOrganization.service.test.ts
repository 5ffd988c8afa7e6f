import { randomBytes } from 'node:crypto'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { purgeCustody } from '@latchkey/testkit/purgeCustody'
import { afterAll, expect, test } from 'vitest'
import { readMacKey } from '../../macKey.ts'
import { storePrivateKey } from '../../wallets/privateKeys.ts'

const graceMs = 7 * 86_400_000
const custody = await startTestCustody()
afterAll(() => custody.close())

type Who = Pick<TestUser, 'orgId' | 'key'>
const submit = (call: string, parameters: object, { orgId, key }: Who) =>
  custody.call(`submit/${call}`, custody.activity(`ACTIVITY_TYPE_${call.toUpperCase()}`, orgId, parameters), key)
const refused = (text: string) => ({ status: 400, body: { code: 3, message: expect.stringContaining(text) } })
const count = async (
  table: 'wallets' | 'wallet_accounts' | 'private_keys' | 'import_targets' | 'activities',
  orgId: string,
) => (await custody.store.db.selectFrom(table).select('id').where('org_id', '=', orgId).execute()).length

test('deletes an organization only after its keys were exported, unless told otherwise', async () => {
  const who = await custody.createUser()
  const { orgId, email } = who
  const { db } = custody.store
  const macKey = await readMacKey(db, custody.deps.keyEncryption)
  await storePrivateKey(db, { ...custody.deps, macKey }, { orgId, name: 'Imported', privateKey: randomBytes(32) })
  expect((await submit('init_import_private_key', { userId: who.userId }, who)).status).toBe(200)
  expect(await submit('delete_sub_organization', {}, who)).toMatchObject(
    refused('was never exported and would be lost'),
  )
  const frame = createTestExportFrame()
  const { address } = who
  await submit('export_wallet_account', { address, targetPublicKey: frame.targetPublicKey }, who)
  expect(await submit('delete_sub_organization', {}, who)).toMatchObject(refused('The private key '))
  const everything = { deleteWithoutExport: true }
  const above = { ...who, orgId: custody.rootOrganizationId, key: custody.rootKey }
  expect(await submit('delete_sub_organization', everything, above)).toMatchObject({ status: 403 })
  const done = await submit('delete_sub_organization', everything, who)
  expect(done.body.activity.result).toEqual({ deleteSubOrganizationResult: { subOrganizationUuid: orgId } })
  const read = (key = who.key) => custody.call('query/list_wallets', { organizationId: orgId }, key)
  const deleting = {
    status: 403,
    body: { details: [{ turnkeyErrorCode: 'ORGANIZATION_DELETING' }, expect.anything()] },
  }
  expect(await read()).toMatchObject(deleting)
  expect(await read(custody.rootKey)).toMatchObject(deleting)
  expect(await count('wallets', orgId)).toBe(1)
  custody.advance(graceMs + 1)
  expect(await read()).toMatchObject({ status: 404, body: { code: 5 } })
  expect(await read(custody.rootKey)).toMatchObject({ status: 404 })
  await purgeCustody(custody)
  for (const table of ['wallets', 'wallet_accounts', 'private_keys', 'import_targets'] as const)
    expect([table, await count(table, orgId)]).toEqual([table, 0])
  expect(await count('activities', orgId)).toBeGreaterThan(0)
  expect((await custody.createUser({ email })).orgId).not.toBe(orgId)
})
