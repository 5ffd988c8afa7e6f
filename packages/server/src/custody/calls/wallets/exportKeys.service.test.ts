import { randomUUID } from 'node:crypto'
import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestUser } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { bytesToHex } from 'viem'
import { mnemonicToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readMacKey } from '../../macKey.ts'
import { findUser } from '../../organizations/user.ts'
import { writeEmail } from '../../organizations/userEmail.ts'

const custody = await startTestCustody()
afterAll(() => custody.close())

const frame = createTestExportFrame()

async function listWallets({ orgId, key }: TestUser) {
  const { body } = await custody.call('query/list_wallets', { organizationId: orgId }, key)
  return body.wallets as { walletId: string; exported: boolean }[]
}

async function proveEmail({ orgId, userId }: TestUser): Promise<void> {
  const { store, deps } = custody
  const macKey = await readMacKey(store.db, deps.keyEncryption)
  const user = await findUser({ macKey, logger: deps.logger }, store.db, { orgId, userId })
  const proof = { email: user.email, email_verified_at: new Date(), email_claimed: false }
  await writeEmail({ macKey }, store.db, { user, ...proof })
}

describe('export_wallet', () => {
  let user: TestUser
  beforeAll(async () => {
    user = await custody.createUser()
  })
  const path = 'submit/export_wallet'
  const request = async (owner = user, changes: object = {}) => {
    const walletId = (await listWallets(owner))[0]?.walletId
    const parameters = { walletId, targetPublicKey: frame.targetPublicKey, ...changes }
    return custody.activity('ACTIVITY_TYPE_EXPORT_WALLET', owner.orgId, parameters)
  }

  test('exports a mnemonic that opens the account', async () => {
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

  test('names the account, with its email address only once proven', async () => {
    const exported = async () => {
      const { body } = await custody.call(path, await request(), user.key)
      const { exportBundle } = body.activity.result.exportWalletResult
      return JSON.parse(Buffer.from(JSON.parse(exportBundle).data, 'hex').toString()) as Record<string, unknown>
    }
    const claimed = await exported()
    const documented = ['encappedPublic', 'ciphertext', 'organizationId']
    expect(Object.keys(claimed)).toEqual([...documented, 'userId', 'address'])
    expect(claimed).toMatchObject({ organizationId: user.orgId, userId: user.userId, address: user.address })
    await proveEmail(user)
    const proven = await exported()
    expect(Object.keys(proven)).toEqual([...documented, 'userId', 'email', 'address'])
    expect(proven.email).toBe(user.email)
  })

  test('repeats the bundle for the same request', async () => {
    const text = JSON.stringify(await request())
    const first = await custody.call(path, text, user.key)
    expect(await custody.call(path, text, user.key)).toEqual(first)
    const query = { organizationId: user.orgId, activityId: first.body.activity.id }
    expect(await custody.call('query/get_activity', query, user.key)).toEqual(first)
  })

  test("refuses another user's wallet in either organization", async () => {
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

  test('refuses invalid target keys and parameters', async () => {
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
      expect(await custody.call(path, await request(owner, changes), owner.key), JSON.stringify(changes)).toMatchObject(
        {
          status: 400,
          body: { details: expect.arrayContaining([expect.objectContaining({ turnkeyErrorCode: 'REQUEST_INVALID' })]) },
        },
      )
    const account = await custody.call('submit/export_wallet_account', await request(owner), owner.key)
    expect(account).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining('does not belong to this path') },
    })
    expect(await listWallets(owner)).toMatchObject([{ exported: false }])
  })
})

describe('export_wallet_account', () => {
  let user: TestUser
  const passkey = createAuthenticator()
  beforeAll(async () => {
    user = await custody.createUser({ passkeys: [passkey.register()] })
  })
  const path = 'submit/export_wallet_account'
  const request = ({ orgId, address }: TestUser, changes: object = {}) =>
    custody.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', orgId, {
      address,
      targetPublicKey: frame.targetPublicKey,
      ...changes,
    })
  const isExported = async (owner: TestUser) => (await listWallets(owner))[0]?.exported

  test('exports a private key by passkey', async () => {
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

  test('refuses invalid parameters', async () => {
    for (const changes of [{ targetPublicKey: 'garbage' }, { address: '0x1' }, { address: undefined }])
      expect((await custody.call(path, request(user, changes), user.key)).status, JSON.stringify(changes)).toBe(400)
  })
})
