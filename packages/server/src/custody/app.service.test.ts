import { randomUUID } from 'node:crypto'
import { linkTemplate, startTestCustody } from '@latchkey/testkit/custody'
import { createTestExportFrame } from '@latchkey/testkit/exportFrame'
import { afterAll, expect, test } from 'vitest'
import { createApiKeyPair } from '../keys/createApiKeyPair.ts'
import { openMail } from '../keys/mailSeal.ts'
import { createStamp } from '../platform/crypto/createStamp.ts'
import { clientAddressHeader, createClientAddressSigner } from '../platform/http/clientAddress.ts'
import { custodyApp } from './app.ts'
import { takeCustodyToken } from './custodyTokens.ts'
import { mnemonicBytes } from './wallets/mnemonic.ts'
import { withSecret } from './wallets/sealSecret.ts'

const custody = await startTestCustody({ exemptLoopback: false })
const user = await custody.createUser()
afterAll(() => custody.close())

test('allows the origins of projects by CORS and no others', async () => {
  const preflight = (origin: string) =>
    custody.app.request('/public/v1/query/whoami', {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'x-client-version,x-stamp',
      },
    })
  const allowed = await preflight('http://localhost:4100')
  expect(allowed.status).toBe(204)
  expect(Object.fromEntries(allowed.headers)).toMatchObject({
    'access-control-allow-origin': 'http://localhost:4100',
    'access-control-allow-methods': 'POST',
    'access-control-allow-headers': 'X-Stamp,X-Stamp-Webauthn,X-Session,X-Client-Version,Content-Type',
    vary: 'Origin, Access-Control-Request-Headers',
  })
  for (const origin of ['http://evil.example', 'null']) {
    const refused = await preflight(origin)
    expect(refused.headers.has('access-control-allow-origin'), origin).toBe(false)
  }
})

test('refuses unreadable requests before it looks for a stamp', async () => {
  const large = 'x'.repeat(65_537)
  for (const [path, body, status, code] of [
    ['query/whoami', large, 413, 'BODY_TOO_LARGE'],
    ['submit/create_wallet', large, 413, 'BODY_TOO_LARGE'],
    ['query/get_policy', '{}', 404, 'METHOD_NOT_SUPPORTED'],
    ['submit/whoami', '{}', 404, 'METHOD_NOT_SUPPORTED'],
  ] as const)
    expect(await custody.send(`/public/v1/${path}`, body), path).toMatchObject({
      status,
      body: { details: [{ turnkeyErrorCode: code }] },
    })
  for (const body of ['', '{', 'null', '[]', '{"organizationId":5}', '{"organizationId":"x","more":1}', '\u0000'])
    expect(await custody.call('query/whoami', body, user.key), body).toMatchObject({ status: 400, body: { code: 3 } })
})

test('explains calls that are refused on purpose and names the alternative', async () => {
  for (const [call, ...words] of [
    ['create_policy', 'root users', 'not enforced', 'rootQuorumThreshold'],
    ['create_policies', 'root users'],
    ['init_otp_auth', 'without naming the key', 'email_auth', 'OTP_TYPE_SMS'],
    ['otp_login', 'otp_auth'],
    ['create_users', 'create_sub_organization'],
    ['update_user_phone_number', 'SMS'],
    ['sol_send_transaction', 'CURVE_ED25519'],
  ] as const) {
    const { status, body } = await custody.send(`/public/v1/submit/${call}`, '{}')
    expect([status, body.code, body.details[0].turnkeyErrorCode]).toEqual([404, 5, 'METHOD_NOT_SUPPORTED'])
    for (const word of [`The call "${call}" is not served: `, ...words]) expect(body.message).toContain(word)
  }
  // `list_policies` is served although no call creates policies; its list is always empty.
  const body = JSON.stringify({ organizationId: user.orgId })
  const stamp = createStamp(body, user.key)
  const headers = { [stamp.stampHeaderName]: stamp.stampHeaderValue }
  expect((await custody.send('/public/v1/query/list_policies', body, headers)).body).toEqual({ policies: [] })
})

test('reads the last of two equal members and ignores `__proto__`', async () => {
  const other = await custody.createUser()
  const own = `"organizationId":"${user.orgId}"`
  const theirs = `"organizationId":"${other.orgId}"`
  const ask = (body: string) => custody.call('query/whoami', body, user.key)
  expect(await ask(`{${theirs},${own}}`)).toMatchObject({ status: 200, body: { organizationId: user.orgId } })
  expect((await ask(`{${own},${theirs}}`)).status).toBe(401)
  expect((await ask(`{"__proto__":{${own}}}`)).status).toBe(400)
  expect((await ask(`{"constructor":{"prototype":{${own}}}}`)).status).toBe(400)
  const polluting = JSON.stringify(custody.activity('ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2', user.orgId, {}))
  for (const inside of ['"__proto__":{"isSeen":true}', '"constructor":{"prototype":{"isSeen":true}}'])
    await custody.call(
      'submit/sign_raw_payload',
      polluting.replace('"parameters":{', `"parameters":{${inside}`),
      user.key,
    )
  expect('isSeen' in {}).toBe(false)
})

test('replaces the root key with the configured one', async () => {
  const rootOrganizationId = randomUUID()
  const [first, second] = [createApiKeyPair(), createApiKeyPair()]
  const start = (key: { publicKey: string }) =>
    custodyApp({ ...custody.deps, rootOrganizationId, rootApiPublicKey: key.publicKey.toUpperCase() })
  const body = JSON.stringify({ organizationId: rootOrganizationId })
  const ask = async (app: Awaited<ReturnType<typeof start>>, key: typeof first) => {
    const headers = { 'x-stamp': createStamp(body, key).stampHeaderValue }
    return (await app.request('/public/v1/query/whoami', { method: 'POST', body, headers })).status
  }
  await Promise.all([start(first), start(first), start(first)])
  expect(await ask(await start(first), first)).toBe(200)
  const { pool } = custody.store
  await pool.query('create table old as select * from credentials where org_id = $1', [rootOrganizationId])
  const next = await start(second)
  expect([await ask(next, first), await ask(next, second)]).toEqual([401, 200])
  await pool.query('insert into credentials select * from old')
  expect([await ask(next, first), await ask(next, second)]).toEqual([401, 200])
})

test('keeps secrets out of every table and log line', async () => {
  const { db } = custody.store
  await custody.call(
    'submit/email_auth',
    custody.activity('ACTIVITY_TYPE_EMAIL_AUTH_V2', user.orgId, {
      email: user.email,
      targetPublicKey: `04917b01cee808e4c75c64f3e09a9b09327c67b6772997bec68da953c9d584db73ee745892a489ab2f86d417a8c53fdb3b0e41ae6db19369dd7626dbafd89a337f`,
      emailCustomization: { magicLinkTemplate: linkTemplate },
    }),
    custody.rootKey,
  )
  await custody.call('submit/sign_raw_payload', custody.signing(user), user.key)
  const frame = createTestExportFrame()
  const account = { address: user.address, targetPublicKey: frame.targetPublicKey }
  const exported = await custody.call(
    'submit/export_wallet_account',
    custody.activity('ACTIVITY_TYPE_EXPORT_WALLET_ACCOUNT', user.orgId, account),
    user.key,
  )
  const privateKey = await frame.open(exported.body.activity.result.exportWalletAccountResult.exportBundle, {
    signer: custody.bundleSigner,
    organizationId: user.orgId,
  })
  const wallet = await db.selectFrom('wallets').selectAll().where('org_id', '=', user.orgId).executeTakeFirstOrThrow()
  const entropy = await withSecret(
    custody.deps.keyEncryption,
    { table: 'wallets', orgId: user.orgId, id: wallet.id, version: wallet.key_version },
    { sealed: wallet.sealed_entropy, wrappedKey: wallet.wrapped_key },
    (secret) => Buffer.from(secret),
  )
  const mails = await db.selectFrom('mail_outbox').selectAll().execute()
  const contents = mails.map(
    (mail) => openMail(custody.deps.mailSealKey, mail, mail.payload_sealed ?? new Uint8Array()).content,
  )
  const link = contents.flatMap((content) => (content.kind === 'sign-in' && content.link) || [])[0] ?? ''
  const bundle = new URL(link).searchParams.get('bundle') ?? ''
  expect(bundle.length).toBeGreaterThan(100)

  const dump = `${await dumpAllTables()}\n${custody.logs.join('\n')}`
  expect(dump).toContain(user.orgId)
  const secrets = [
    Buffer.from(entropy).toString('hex'),
    Buffer.from(entropy).toString('base64'),
    Buffer.from(mnemonicBytes(entropy)).toString('utf8'),
    Buffer.from(mnemonicBytes(entropy)).toString('hex'),
    bundle,
    Buffer.from(bundle).toString('hex'),
    Buffer.from(privateKey).toString('hex'),
    Buffer.from(custody.deps.bundleSigningKey ?? []).toString('hex'),
    custody.rootKey.privateKey,
    Buffer.from(custody.deps.mailSealKey).toString('hex'),
  ]
  for (const secret of secrets) expect(dump.includes(secret)).toBe(false)
})

async function dumpAllTables(): Promise<string> {
  const { pool } = custody.store
  const { rows } = await pool.query<{ name: string }>(
    `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
     where table_schema in ('public', 'latchkey_jobs')`,
  )
  const parts = await Promise.all(rows.map(({ name }) => pool.query(`select t::text from ${name} t`)))
  return parts.flatMap((part) => part.rows.map((row) => row.t)).join('\n')
}

test('trusts a client address only if the parent signed it for this request', async () => {
  const { db } = custody.store
  // Another replica has no cached limits for these IP addresses.
  const [app, later] = [await custodyApp(custody.deps), await custodyApp(custody.deps)]
  for (const ip of ['198.51.100.20', '198.51.100.21'])
    await takeCustodyToken(db, { key: `custody ${ip}`, limit: 1, windowMs: 7_200_000 })
  const body = JSON.stringify({ organizationId: user.orgId })
  const ask = async (header: string, to = app) => {
    const headers = { 'x-stamp': createStamp(body, user.key).stampHeaderValue, [clientAddressHeader]: header }
    return (await to.request('/public/v1/query/whoami', { method: 'POST', body, headers })).status
  }
  const sign = createClientAddressSigner(custody.rootKey, Date.now)
  expect(await ask(sign('198.51.100.20', body))).toBe(429)
  expect(await ask(sign('198.51.100.22', body))).toBe(200)
  // Forged, reused and malformed headers are limited by the connection's IP address.
  expect(await ask(createClientAddressSigner(user.key, Date.now)('198.51.100.20', body))).toBe(200)
  expect(await ask(sign('198.51.100.20', `${body} `))).toBe(200)
  expect(await ask('198.51.100.20')).toBe(200)
  await takeCustodyToken(db, { key: 'custody unknown', limit: 2, windowMs: 14_400_000 })
  expect(await ask(createClientAddressSigner(user.key, Date.now)('198.51.100.99', body), later)).toBe(429)
  expect(await ask('', later)).toBe(429)
  await db.deleteFrom('custody_limits').execute()
})
