import { createAuthenticator } from '@latchkey/testkit/authenticator'
import { startTestCustody, type TestCustody, type TestUser, walletParameters } from '@latchkey/testkit/custody'
import { type Confirmation, custodyPaths } from 'latchkey-protocol'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../../../keys/createApiKeyPair.ts'
import { hpkeSeal } from '../../bundles/hpke.ts'

const custody = await startTestCustody({ project: { confirmations: 'mail' } })
afterAll(() => custody.close())

const junk = 'test test test test test test test test test test test junk'
const junkAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const junkKey = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const known = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const bytes = (text: string) => new TextEncoder().encode(text)
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex')

async function seal(importBundle: string, plaintext: Uint8Array): Promise<string> {
  const { data } = JSON.parse(importBundle) as { data: string }
  const { targetPublic } = JSON.parse(Buffer.from(data, 'hex').toString()) as { targetPublic: string }
  const sealed = await hpkeSeal({ recipientPublicKey: Buffer.from(targetPublic, 'hex'), plaintext })
  return JSON.stringify({ encappedPublic: hex(sealed.enc), ciphertext: hex(sealed.ciphertext) })
}

const walletImport = ({ userId }: TestUser, more: object = {}) => ({
  userId,
  walletName: 'Imported',
  accounts: walletParameters.accounts,
  ...more,
})
const keyImport = ({ userId }: TestUser, more: object = {}) => ({
  userId,
  privateKeyName: 'Imported',
  curve: 'CURVE_SECP256K1',
  addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
  ...more,
})

type Call = 'import_wallet' | 'import_private_key' | 'init_import_wallet'
const requestOf = (call: Call, { orgId }: TestUser, parameters: object, served: TestCustody = custody) =>
  served.activity(`ACTIVITY_TYPE_${call.toUpperCase()}`, orgId, parameters)

/** Requests an import by the session's key, and opens the link of its email. */
async function ask(call: Call, user: TestUser, parameters: object) {
  const request = requestOf(call, user, parameters)
  const send = () => custody.call(`submit/${call}`, request, user.key)
  const { body } = await send()
  const { content } = await custody.readQueued(body.activity.id, 'confirm')
  const secret = new URL(('link' in content && content.link) || '').hash.slice(1)
  const decide = (more: object) =>
    custody.send(custodyPaths.decideConfirmation, JSON.stringify({ secret, decision: 'accept', ...more }))
  const read = async (): Promise<Confirmation> =>
    (await custody.send(custodyPaths.readConfirmation, JSON.stringify({ secret }))).body.confirmation
  return { activity: body.activity, send: async () => (await send()).body.activity, decide, read }
}

test('imports what the user enters on the page of the email, not what the request holds', async () => {
  const user = await custody.createUser()
  const begun = await custody.call(
    'submit/init_import_wallet',
    requestOf('init_import_wallet', user, { userId: user.userId }),
    user.key,
  )
  const { importBundle, takenBy } = begun.body.activity.result.initImportWalletResult
  expect(takenBy).toBe('confirmation')
  // A script in the app's page seals a phrase that it knows.
  const encryptedBundle = await seal(importBundle, bytes(known))
  const asked = await ask('import_wallet', user, walletImport(user, { encryptedBundle }))
  expect(asked.activity).toMatchObject({
    status: 'ACTIVITY_STATUS_PENDING',
    confirmation: { action: 'import-wallet', takes: 'phrase', to: user.email },
  })
  const open = await asked.read()
  expect(open).toMatchObject({ state: 'open', takes: 'phrase', email: user.email })
  expect(await asked.decide({})).toMatchObject({
    status: 400,
    body: { message: expect.stringContaining('What the app sent is not used') },
  })
  const entered = await seal(open.importBundle ?? '', bytes(junk))
  expect((await asked.decide({ encryptedBundle: entered })).body.confirmation.state).toBe('confirmed')
  expect((await asked.send()).result.importWalletResult.addresses).toEqual([junkAddress])
  expect((await asked.decide({ encryptedBundle: entered })).status).toBe(400)
})

test('imports a private key that the request does not hold', async () => {
  const user = await custody.createUser()
  const asked = await ask('import_private_key', user, keyImport(user))
  const { takes, importBundle = '' } = await asked.read()
  expect(takes).toBe('key')
  const encryptedBundle = await seal(importBundle, Buffer.from(junkKey, 'hex'))
  expect((await asked.decide({ encryptedBundle })).body.confirmation.state).toBe('confirmed')
  const { addresses } = (await asked.send()).result.importPrivateKeyResult
  expect(addresses).toEqual([{ format: 'ADDRESS_FORMAT_ETHEREUM', address: junkAddress }])
})

test('imports nothing after a refusal, and says why a secret was wrong', async () => {
  const user = await custody.createUser()
  const refused = await ask('import_wallet', user, walletImport(user))
  expect((await refused.decide({ decision: 'refuse' })).body.confirmation.state).toBe('refused')
  const asked = await ask('import_wallet', user, walletImport(user))
  const encryptedBundle = await seal((await asked.read()).importBundle ?? '', bytes(junk.replace(/junk$/, 'test')))
  const { confirmation } = (await asked.decide({ encryptedBundle })).body
  expect(confirmation).toMatchObject({ state: 'failed', failure: expect.stringContaining('its checksum is wrong') })
  const listed = await custody.call('query/list_wallets', { organizationId: user.orgId }, user.key)
  expect(listed.body.wallets).toHaveLength(1)
})

test("takes the secret from the app's frame for users without an address, who use their passkey", async () => {
  const passkey = createAuthenticator()
  const key = createApiKeyPair()
  const apiKeys = [{ apiKeyName: 'session', publicKey: key.publicKey, expirationSeconds: '86400' }]
  const authenticators = [{ authenticatorName: 'passkey-1', ...passkey.register() }]
  const { orgId, userIds, address } = await custody.signUp([{ apiKeys, authenticators }])
  const user = { orgId, userId: userIds[0] ?? '', address, key, email: '' }
  const init = requestOf('init_import_wallet', user, { userId: user.userId })
  const begun = await custody.callByPasskey('submit/init_import_wallet', init, passkey)
  const { importBundle, takenBy } = begun.body.activity.result.initImportWalletResult
  expect(takenBy).toBeUndefined()
  const parameters = walletImport(user, { encryptedBundle: await seal(importBundle, bytes(junk)) })
  const bySession = await custody.call('submit/import_wallet', requestOf('import_wallet', user, parameters), user.key)
  expect(bySession.body.message).toContain('Use your passkey with user verification.')
  const done = await custody.callByPasskey(
    'submit/import_wallet',
    requestOf('import_wallet', user, parameters),
    passkey,
  )
  expect(done.body.activity.result.importWalletResult.addresses).toEqual([junkAddress])
})

test("takes the secret from the app's frame if every project says so", async () => {
  const open = await startTestCustody({ project: { confirmations: 'mail', importsTo: 'frame' } })
  try {
    const user = await open.createUser()
    const submit = (call: Call, parameters: object) =>
      open.call(`submit/${call}`, requestOf(call, user, parameters, open), user.key)
    const begun = await submit('init_import_wallet', { userId: user.userId })
    const { importBundle, takenBy } = begun.body.activity.result.initImportWalletResult
    expect(takenBy).toBeUndefined()
    const without = await submit('import_wallet', walletImport(user))
    expect([without.status, without.body.message]).toEqual([
      400,
      expect.stringContaining('There is no secret to import'),
    ])
    const encryptedBundle = await seal(importBundle, bytes(junk))
    const { body } = await submit('import_wallet', walletImport(user, { encryptedBundle }))
    expect(body.activity.result.importWalletResult.addresses).toEqual([junkAddress])
  } finally {
    await open.close()
  }
})
