import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { bytesToHex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'

let custody: TestCustody
let user: TestUser
const passkey = createAuthenticator()
beforeAll(async () => {
  custody = await startTestCustody()
  user = await custody.createUser({ passkeys: [passkey.register()] })
})
afterAll(() => custody.close())

const path = 'submit/export_wallet_account'
const frame = createTestExportFrame()
const request = ({ orgId, address }: TestUser, changes: object = {}) =>
  custody.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', orgId, {
    address,
    targetPublicKey: frame.targetPublicKey,
    ...changes,
  })
const isExported = async ({ orgId, key }: TestUser) =>
  (await custody.call('query/list_wallets', { organizationId: orgId }, key)).body.wallets[0].exported

test('default', async () => {
  const body = request(user)
  const { status, body: answer } = await custody.callByPasskey(path, body, passkey)
  expect(status).toBe(200)
  expect(answer.activity.intent).toEqual({ exportWalletAccountIntent: body.parameters })
  const result = answer.activity.result.exportWalletAccountResult
  expect(Object.keys(result)).toEqual(['address', 'exportBundle'])
  expect(result.address).toBe(user.address)
  const expected = { signer: custody.bundleSigner, organizationId: user.orgId }
  const opened = await frame.open(result.exportBundle, expected)
  expect(opened).toHaveLength(32)
  expect(privateKeyToAddress(bytesToHex(opened))).toBe(user.address)
  expect(await isExported(user)).toBe(true)
  await expect(frame.open(result.exportBundle, { ...expected, organizationId: 'x' })).rejects.toThrow('organization')
})

test('behavior: the address in any case, answered in one', async () => {
  const lower = request(user, { address: user.address.toLowerCase() })
  const { body } = await custody.call(path, lower, user.key)
  expect(body.activity.result.exportWalletAccountResult.address).toBe(user.address)
})

test('error: the parent', async () => {
  const owner = await custody.createUser()
  expect(await custody.call(path, request(owner), custody.rootKey)).toMatchObject({
    status: 400,
    body: { details: [{ turnkeyErrorCode: 'ORGANIZATION_MISMATCH' }] },
  })
  expect(await isExported(owner)).toBe(false)
})

test("error: another user's address, in theirs and in the own organization", async () => {
  const other = await custody.createUser()
  expect(await custody.callByPasskey(path, request(other), passkey)).toMatchObject({ status: 401 })
  const { address } = other
  for (const call of [
    custody.callByPasskey(path, request(user, { address }), passkey),
    custody.call(path, request(user, { address }), user.key),
  ])
    expect(await call).toMatchObject({
      status: 404,
      body: { code: 5, message: `Could not find wallet associated with ${address}` },
    })
  expect(await isExported(other)).toBe(false)
})

test('error: an address column that somebody changed', async () => {
  const [victim, thief] = [await custody.createUser(), await custody.createUser()]
  const { db } = custody.store
  await db.updateTable('wallet_accounts').set({ address: victim.address }).where('org_id', '=', thief.orgId).execute()
  const answer = await custody.call(path, request(thief, { address: victim.address }), thief.key)
  expect(answer).toMatchObject({ status: 500, body: { code: 13 } })
})

test('error: parameters that cannot be right', async () => {
  for (const changes of [
    { targetPublicKey: `03${frame.targetPublicKey.slice(2, 66)}` },
    { targetPublicKey: 'garbage' },
    { address: '0x1' },
    { address: undefined },
  ])
    expect((await custody.call(path, request(user, changes), user.key)).status, JSON.stringify(changes)).toBe(400)
})
