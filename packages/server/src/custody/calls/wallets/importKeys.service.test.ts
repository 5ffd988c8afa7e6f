import { startTestCustody, walletParameters } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'
import { hpkeSeal } from '../../bundles/hpke.ts'
import { maxPrivateKeys } from '../../custodyLimits.ts'

const custody = await startTestCustody()
const user = await custody.createUser()
afterAll(() => custody.close())

const junk = 'test test test test test test test test test test test junk'
const junkKey = 'ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const junkAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const bytes = (text: string) => new TextEncoder().encode(text)
const hex = (value: Uint8Array) => Buffer.from(value).toString('hex')

const submit = (call: string, parameters: object, { orgId, key } = user) =>
  custody.call(`submit/${call}`, custody.activity(`ACTIVITY_TYPE_${call.toUpperCase()}`, orgId, parameters), key)
const refused = (text: string) => ({ status: 400, body: { code: 3, message: expect.stringContaining(text) } })
const count = async (
  table: 'wallets' | 'wallet_accounts' | 'private_keys' | 'import_targets' | 'activities',
  orgId: string,
) => (await custody.store.db.selectFrom(table).select('id').where('org_id', '=', orgId).execute()).length

async function seal(importBundle: string, plaintext: Uint8Array, who = user): Promise<string> {
  const bundle = JSON.parse(importBundle) as Record<string, string>
  const data = Buffer.from(bundle.data ?? '', 'hex')
  expect(bundle.enclaveQuorumPublic).toBe(custody.bundleSigner)
  const signature = Buffer.from(bundle.dataSignature ?? '', 'hex')
  expect(p256.verify(signature, data, Buffer.from(custody.bundleSigner, 'hex'), { format: 'der' })).toBe(true)
  const { targetPublic, organizationId, userId } = JSON.parse(data.toString()) as Record<string, string>
  expect([organizationId, userId]).toEqual([who.orgId, who.userId])
  const sealed = await hpkeSeal({ recipientPublicKey: Buffer.from(targetPublic ?? '', 'hex'), plaintext })
  return JSON.stringify({ encappedPublic: hex(sealed.enc), ciphertext: hex(sealed.ciphertext) })
}
const begin = async (call: 'init_import_wallet' | 'init_import_private_key', who = user): Promise<string> => {
  const { status, body } = await submit(call, { userId: who.userId }, who)
  expect([status, body.message]).toEqual([200, undefined])
  return (Object.values(body.activity.result)[0] as { importBundle: string }).importBundle
}
const importWallet = (encryptedBundle: string, who = user, changes: object = {}) => {
  const { accounts } = walletParameters
  return submit(
    'import_wallet',
    { userId: who.userId, walletName: 'Imported', encryptedBundle, accounts, ...changes },
    who,
  )
}
const importKey = (encryptedBundle: string, who = user, changes: object = {}) =>
  submit(
    'import_private_key',
    {
      userId: who.userId,
      privateKeyName: 'Imported',
      encryptedBundle,
      curve: 'CURVE_SECP256K1',
      addressFormats: ['ADDRESS_FORMAT_ETHEREUM'],
      ...changes,
    },
    who,
  )

test('imports a seed phrase once', async () => {
  const who = await custody.createUser()
  const encrypted = await seal(await begin('init_import_wallet', who), bytes(junk), who)
  const { body } = await importWallet(encrypted, who)
  expect(body.activity.result).toEqual({
    importWalletResult: { walletId: expect.any(String), addresses: [junkAddress] },
  })
  const query = { organizationId: who.orgId }
  const [, wallet] = (await custody.call('query/list_wallets', query, who.key)).body.wallets
  expect(wallet).toMatchObject({ walletName: 'Imported', imported: true, exported: false })
  expect(await importWallet(encrypted, who)).toMatchObject(refused('Begin again.'))
  const again = await seal(await begin('init_import_wallet', who), bytes(junk), who)
  expect(await importWallet(again, who)).toMatchObject(refused('has an account with one of these addresses already'))
  expect([await count('wallets', who.orgId), await count('wallet_accounts', who.orgId)]).toEqual([2, 2])
})

test('imports a private key that signs by id and by address and can be exported', async () => {
  const who = await custody.createUser()
  const key = Buffer.from(junkKey, 'hex')
  const { body } = await importKey(await seal(await begin('init_import_private_key', who), key, who), who)
  const { privateKeyId, addresses } = body.activity.result.importPrivateKeyResult
  expect(addresses).toEqual([{ format: 'ADDRESS_FORMAT_ETHEREUM', address: junkAddress }])
  const payload = '0x50b2c43fd39106bafbba0da34fc430e1f91e3c96ea2acee2bc34119f92b37750'
  for (const signWith of [privateKeyId, junkAddress.toLowerCase()]) {
    const request = custody.signing({ orgId: who.orgId, address: signWith }, payload)
    const signed = await custody.call('submit/sign_raw_payload', request, who.key)
    expect(signed.body.activity.result.signRawPayloadResult).toEqual({
      r: 'f16ea9a3478698f695fd1401bfe27e9e4a7e8e3da94aa72b021125e31fa899cc',
      s: '573c48ea3fe1d4ab61a9db10c19032026e3ed2dbccba5a178235ac27f9450431',
      v: '01',
    })
  }
  const frame = createTestExportFrame()
  const { targetPublicKey } = frame
  const exported = await submit('export_private_key', { privateKeyId, targetPublicKey }, who)
  const { exportBundle } = exported.body.activity.result.exportPrivateKeyResult
  expect(hex(await frame.open(exportBundle, { signer: custody.bundleSigner, organizationId: who.orgId }))).toBe(junkKey)
  const query = { organizationId: who.orgId }
  const listed = (await custody.call('query/list_private_keys', query, who.key)).body.privateKeys
  expect(listed).toMatchObject([{ privateKeyId, exported: true, imported: true }])
  const twice = await importKey(await seal(await begin('init_import_private_key', who), key, who), who)
  expect(twice).toMatchObject(refused('holds this private key already'))
  expect(await submit('export_private_key', { privateKeyId, targetPublicKey })).toMatchObject({ status: 404 })
})

test('refuses invalid phrases and keeps the import key', async () => {
  const who = await custody.createUser()
  const bundle = await begin('init_import_wallet', who)
  const wrong: [string, string][] = [
    [junk.replace(/junk$/, 'test'), 'its checksum is wrong'],
    [junk.replace('test', 'tset'), 'word 1 is not in the English list'],
    ['test', 'it has 1 words'],
    [`${junk}\n--PASS--\nsecret`, 'a passphrase cannot be imported'],
    ['', 'it has 0 words'],
  ]
  const before = await count('activities', who.orgId)
  for (const [phrase, text] of wrong) {
    const answer = await importWallet(await seal(bundle, bytes(phrase), who), who)
    expect(answer).toMatchObject(refused(text))
    expect(JSON.stringify(answer.body)).not.toContain('tset')
  }
  expect([await count('wallets', who.orgId), await count('activities', who.orgId)]).toEqual([1, before])
  expect((await importWallet(await seal(bundle, bytes(junk), who), who)).status).toBe(200)
})

test('refuses invalid private keys', async () => {
  const bundle = await begin('init_import_private_key')
  const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
  for (const key of ['', '00'.repeat(32), order, junkKey.slice(2), `${junkKey}00`]) {
    const answer = await importKey(await seal(bundle, Buffer.from(key, 'hex')))
    expect(answer).toMatchObject(refused('not a private key of secp256k1'))
  }
  const encrypted = await seal(bundle, Buffer.from(junkKey, 'hex'))
  for (const changes of [
    { curve: 'CURVE_ED25519' },
    { addressFormats: ['ADDRESS_FORMAT_SOLANA'] },
    { addressFormats: [] },
    { privateKeyName: '' },
  ])
    expect((await importKey(encrypted, user, changes)).status, JSON.stringify(changes)).toBe(400)
  expect(await count('private_keys', user.orgId)).toBe(0)
})

test('refuses invalid bundles and bundles sealed to another key', async () => {
  const encrypted = await seal(await begin('init_import_wallet'), bytes(junk))
  const { encappedPublic, ciphertext } = JSON.parse(encrypted) as Record<string, string>
  const invalid = [
    { encappedPublic },
    { encappedPublic: `04${'11'.repeat(64)}`, ciphertext },
    { encappedPublic, ciphertext: 'zz' },
  ].map((bundle) => JSON.stringify(bundle))
  for (const bundle of ['', 'x', '[]', '{}', ...invalid, 'x'.repeat(5000)])
    expect(await importWallet(bundle), bundle.slice(0, 50)).toMatchObject({ status: 400, body: { code: 3 } })
  const foreign = createTestExportFrame().targetPublicKey
  const sealed = await hpkeSeal({ recipientPublicKey: Buffer.from(foreign, 'hex'), plaintext: bytes(junk) })
  const other = JSON.stringify({ encappedPublic: hex(sealed.enc), ciphertext: hex(sealed.ciphertext) })
  expect(await importWallet(other)).toMatchObject(refused('Begin again.'))
  expect(await importKey(encrypted)).toMatchObject(refused('Begin again.'))
})

test('keeps five import keys for an hour', async () => {
  const who = await custody.createUser()
  const bundles: string[] = []
  for (let index = 0; index < 6; index++) bundles.push(await begin('init_import_wallet', who))
  expect(await count('import_targets', who.orgId)).toBe(5)
  const [first = '', second = ''] = bundles
  expect(await importWallet(await seal(first, bytes(junk), who), who)).toMatchObject(refused('Begin again.'))
  custody.advance(3_600_001)
  const late = await importWallet(await seal(second, bytes(junk), who), who)
  await begin('init_import_wallet', who)
  custody.advance(-3_600_001)
  expect(late).toMatchObject(refused('an hour old'))
  expect(await count('import_targets', who.orgId)).toBe(1)
})

test('accepts one of two concurrent imports with one key', async () => {
  const who = await custody.createUser()
  const encrypted = await seal(await begin('init_import_wallet', who), bytes(junk), who)
  const answers = await Promise.all([importWallet(encrypted, who), importWallet(encrypted, who)])
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 400])
  expect(await count('wallets', who.orgId)).toBe(2)
})

test('refuses a phrase sealed for another user', async () => {
  const other = await custody.createUser()
  const theirs = await seal(await begin('init_import_wallet', other), bytes(junk), other)
  expect(await importWallet(theirs)).toMatchObject(refused('Begin again.'))
  expect(await importWallet(theirs, user, { userId: other.userId })).toMatchObject({ status: 403 })
})

test('limits the private keys of an organization', async () => {
  const who = await custody.createUser()
  const imports = async () =>
    importKey(await seal(await begin('init_import_private_key', who), p256.utils.randomSecretKey(), who), who)
  expect((await imports()).status).toBe(200)
  await custody.store.pool.query(
    `insert into private_keys select r.* from generate_series(1, $2) n,
      lateral (select t.* from private_keys t where org_id = $1 limit 1) base,
      lateral jsonb_populate_record(null::private_keys,
        to_jsonb(base) || jsonb_build_object('id', gen_random_uuid(), 'name', n::text, 'address', n::text)) r`,
    [who.orgId, maxPrivateKeys - 2],
  )
  expect((await imports()).status).toBe(200)
  expect(await imports()).toMatchObject(refused(`An organization may hold at most ${maxPrivateKeys} private keys.`))
  expect(await count('private_keys', who.orgId)).toBe(maxPrivateKeys)
})
