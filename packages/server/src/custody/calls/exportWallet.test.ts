import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { mnemonicToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStamp } from '../../keys/createStamp.ts'
import { custodyApp } from '../app.ts'

let custody: TestCustody
let user: TestUser
beforeAll(async () => {
  custody = await startTestCustody()
  user = await custody.createUser()
})
afterAll(() => custody.close())

const path = 'submit/export_wallet'
const frame = createTestExportFrame()

async function listWallets({ orgId, key }: TestUser) {
  const { body } = await custody.call('query/list_wallets', { organizationId: orgId }, key)
  return body.wallets as { walletId: string; exported: boolean }[]
}
async function request(owner = user, changes: object = {}) {
  const walletId = (await listWallets(owner))[0]?.walletId
  const parameters = { walletId, targetPublicKey: frame.targetPublicKey, ...changes }
  return custody.activity('ACTIVITY_TYPE_EXPORT_WALLET', owner.orgId, parameters)
}

test('default', async () => {
  expect(await listWallets(user)).toMatchObject([{ exported: false }])
  const body = await request(user, { language: 'MNEMONIC_LANGUAGE_ENGLISH' })
  const answer = await custody.call(path, body, user.key)
  expect(answer).toMatchObject({ status: 200, body: { activity: { status: 'ACTIVITY_STATUS_COMPLETED' } } })
  const { intent, result } = answer.body.activity
  expect(intent).toEqual({ exportWalletIntent: body.parameters })
  const { walletId, exportBundle } = result.exportWalletResult
  expect(Object.keys(result.exportWalletResult)).toEqual(['walletId', 'exportBundle'])
  expect(await listWallets(user)).toMatchObject([{ walletId, exported: true }])
  const opened = await frame.open(exportBundle, { signer: custody.bundleSigner, organizationId: user.orgId })
  const mnemonic = new TextDecoder().decode(opened)
  expect(mnemonic.split(' ')).toHaveLength(12)
  expect(mnemonicToAccount(mnemonic).address).toBe(user.address)
})

test('behavior: the same request answers the same bundle; get_activity knows it', async () => {
  const text = JSON.stringify(await request())
  const first = await custody.call(path, text, user.key)
  expect(await custody.call(path, text, user.key)).toEqual(first)
  const query = { organizationId: user.orgId, activityId: first.body.activity.id }
  expect(await custody.call('query/get_activity', query, user.key)).toEqual(first)
})

test('behavior: by passkey', async () => {
  const passkey = createAuthenticator()
  const owner = await custody.createUser({ passkeys: [passkey.register()] })
  const { status, body } = await custody.callByPasskey(path, await request(owner), passkey)
  expect(status).toBe(200)
  const expected = { signer: custody.bundleSigner, organizationId: owner.orgId }
  const opened = await frame.open(body.activity.result.exportWalletResult.exportBundle, expected)
  expect(mnemonicToAccount(new TextDecoder().decode(opened)).address).toBe(owner.address)
})

test('error: the parent', async () => {
  const owner = await custody.createUser()
  const answer = await custody.call(path, await request(owner), custody.rootKey)
  expect(answer).toMatchObject({
    status: 400,
    body: { code: 3, details: [{ turnkeyErrorCode: 'ORGANIZATION_MISMATCH' }] },
  })
  expect(await listWallets(owner)).toMatchObject([{ exported: false }])
})

test("error: another user's wallet, in theirs and in the own organization", async () => {
  const other = await custody.createUser()
  const theirs = await request(other)
  expect(await custody.call(path, theirs, user.key)).toMatchObject({ status: 401 })
  const answer = await custody.call(path, { ...theirs, organizationId: user.orgId }, user.key)
  const { walletId } = theirs.parameters as { walletId: string }
  expect(answer).toMatchObject({
    status: 404,
    body: {
      code: 5,
      message: `Could not find wallet with id ${walletId}`,
      details: [{ turnkeyErrorCode: 'NOT_FOUND' }],
    },
  })
  expect((await custody.call(path, await request(user, { walletId: randomUUID() }), user.key)).status).toBe(404)
  expect(await listWallets(other)).toMatchObject([{ exported: false }])
})

test('error: keys that no frame has, and other parameters', async () => {
  const owner = await custody.createUser()
  const { targetPublicKey } = frame
  for (const changes of [
    { targetPublicKey: `02${targetPublicKey.slice(2, 66)}` },
    { targetPublicKey: targetPublicKey.slice(2) },
    { targetPublicKey: `${targetPublicKey.slice(0, -2)}zz` },
    { targetPublicKey: `04${'11'.repeat(64)}` },
    { targetPublicKey: '' },
    { targetPublicKey: undefined },
    { walletId: 'x' },
    { language: 'MNEMONIC_LANGUAGE_FRENCH' },
    { more: 1 },
  ])
    expect(await custody.call(path, await request(owner, changes), owner.key), JSON.stringify(changes)).toMatchObject({
      status: 400,
      body: {
        code: 3,
        details: expect.arrayContaining([expect.objectContaining({ turnkeyErrorCode: 'REQUEST_INVALID' })]),
      },
    })
  const account = await custody.call('submit/export_wallet_account', await request(owner), owner.key)
  expect(account).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('does not belong to this path') },
  })
  expect(await listWallets(owner)).toMatchObject([{ exported: false }])
})

test('error: a server without a signing key', async () => {
  const app = await custodyApp({ ...custody.deps, bundleSigningKey: undefined })
  const owner = await custody.createUser()
  const body = JSON.stringify(await request(owner))
  const headers = { 'x-stamp': createStamp(body, owner.key).stampHeaderValue }
  const response = await app.request(`/public/v1/${path}`, { method: 'POST', body, headers })
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({
    code: 13,
    message: 'This server cannot export or import: custody.bundleSigningKey is not set.',
  })
  expect(await listWallets(owner)).toMatchObject([{ exported: false }])
})
