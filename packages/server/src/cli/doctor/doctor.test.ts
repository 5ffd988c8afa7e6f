import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createTlsServer } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '@latchkey/testkit/certificate'
import { startTestDatabase } from '@latchkey/testkit/database'
import { startTestDns, type TestDns } from '@latchkey/testkit/dns'
import { doctorEnvironment, doctorRecords } from '@latchkey/testkit/doctorEnvironment'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { startSlowProxy } from '@latchkey/testkit/slowProxy'
import { startTestSmtp, type TestSmtp } from '@latchkey/testkit/smtp'
import { startTestShop, type TestShop } from '@latchkey/testkit/startTestShop'
import { startTestVault, type TestVault } from '@latchkey/testkit/vault'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { framesApp } from '../../frames/app.ts'
import { bundleSigningPublicKey } from '../../keys/bundleSigningPublicKey.ts'
import { createApiKeyPair } from '../../keys/createApiKeyPair.ts'
import { openStore } from '../../store/openStore.ts'
import { readConfig } from '../readConfig.ts'
import { doctor, type Finding } from './doctor.ts'

/** One world in which all is well: each test breaks one thing of it, and exactly that check fails. */
const signingKey = createApiKeyPair().privateKey
const rootKey = createApiKeyPair()
const certificate = makeCertificate({ hosts: ['*.shop.test', 'shop.test', 'shop.example', 'auth.shop.example'] })
const folder = mkdtempSync(join(tmpdir(), 'latchkey-doctor-'))

let database: Awaited<ReturnType<typeof startTestDatabase>>
let smtp: TestSmtp
let dns: TestDns
let vault: TestVault
let shop: TestShop
beforeAll(async () => {
  database = await startTestDatabase({ migrated: true })
  smtp = await startTestSmtp()
  vault = await startTestVault()
  dns = await startTestDns(doctorRecords)
  shop = await startTestShop(certificate, signingKey)
})
afterAll(async () => {
  shop?.close()
  await dns?.close()
  await vault?.close()
  await smtp?.close()
  await database?.close()
  rmSync(folder, { recursive: true })
})

function environment(more: Record<string, string | undefined> = {}): Record<string, string> {
  const projects = join(folder, 'projects.json')
  writeFileSync(projects, JSON.stringify([shop.project()]))
  const environment = doctorEnvironment({
    databaseUrl: database.url,
    projects,
    at: shop.at,
    vault,
    rpcUrl: shop.rpcUrl,
    signingKey,
    rootKey,
  })
  const own = {
    LATCHKEY_SMTP_URL: smtp.url,
    LATCHKEY_DNS_SERVERS: dns.server,
    LATCHKEY_DKIM_SELECTORS: 'one',
    ...more,
  }
  const all = Object.entries({ ...environment, ...own })
  return Object.fromEntries(all.filter((entry): entry is [string, string] => entry[1] !== undefined))
}

type Change = { env?: Record<string, string | undefined>; project?: object; authorities?: string[] }

async function diagnose({ env, project: changed, authorities = [certificate.cert] }: Change = {}): Promise<Finding[]> {
  const environmentNow = environment(env)
  if (changed)
    writeFileSync(environmentNow.LATCHKEY_PROJECTS_FILE ?? '', JSON.stringify([{ ...shop.project(), ...changed }]))
  const config = readConfig(environmentNow)
  return doctor({ ...config, doctor: { ...config.doctor, authorities } })
}

/** What is not well, as `name: what to do`; but for latency, since other tests run beside this one. */
async function failures(change: Change = {}): Promise<string[]> {
  const found = (await diagnose(change)).filter(({ ok, name }) => !ok && !name.startsWith('latency'))
  return found.map(({ name, text }) => `${name}: ${text}`)
}

/** Exactly one check fails, and says what to do. */
async function expectOne(failure: RegExp, change: Change = {}): Promise<void> {
  const found = await failures(change)
  expect(found).toEqual([expect.stringMatching(failure)])
}

/** Changes records of a name for the time of a test. */
async function withRecords(name: string, change: object | undefined, run: () => Promise<void>): Promise<void> {
  const before = dns.records.get(name)
  if (change) dns.records.set(name, { ...before, ...change })
  else dns.records.delete(name)
  try {
    await run()
  } finally {
    if (before) dns.records.set(name, before)
    else dns.records.delete(name)
  }
}

test('default: in a world where all is well every check says so', async () => {
  expect(await failures()).toEqual([])
  const found = await diagnose()
  expect(found.map(({ name }) => name)).toMatchInlineSnapshot(`
    [
      "PostgreSQL (custody)",
      "latency (custody)",
      "schema (custody)",
      "time (custody)",
      "grants (custody)",
      "PostgreSQL (signer-api)",
      "latency (signer-api)",
      "schema (signer-api)",
      "time (signer-api)",
      "grants (signer-api)",
      "PostgreSQL (mail)",
      "latency (mail)",
      "schema (mail)",
      "time (mail)",
      "grants (mail)",
      "grants (gateway)",
      "grants (admin)",
      "key encryption",
      "stored keys",
      "SMTP",
      "SPF",
      "DKIM",
      "DMARC",
      "mail links",
      "DNS of custody",
      "TLS of custody",
      "DNS of auth frame",
      "TLS of auth frame",
      "DNS of export frame",
      "TLS of export frame",
      "DNS of import frame",
      "TLS of import frame",
      "frame origins",
      "page of auth frame",
      "page of export frame",
      "page of import frame",
      "origins of shop",
      "site of shop",
      "passkeys of shop",
      "CSP of shop",
      "node",
      "bundler",
      "entry points",
      "operators",
    ]
  `)
})

test('error: the database is too old, or may do less or more than the role', async () => {
  const owner = await openStore({ databaseUrl: database.url, maxConnections: 1 })
  try {
    await owner.pool.query(`create function public.current_setting(text) returns text language sql as
      $$ select case when $1 = 'server_version_num' then '140012' else '14.12' end $$`)
    const shadowed = `${asRole(database.url, 'mail')}?options=${encodeURIComponent('-c search_path=public,pg_catalog')}`
    await expectOne(/^PostgreSQL \(mail\): is version 14.12: upgrade it to 15 or newer/, {
      env: { LATCHKEY_MAIL_DATABASE_URL: shadowed },
    })
    await owner.pool.query('drop function public.current_setting(text)')

    await owner.pool.query('revoke delete on mail_outbox from latchkey_mail')
    await expectOne(/^grants \(mail\): latchkey_mail may not delete on mail_outbox: run latchkey-server grants --apply/)
    await owner.pool.query('grant delete on mail_outbox to latchkey_mail')

    await owner.pool.query('revoke select (state) on mail_outbox from latchkey_signer_api')
    await expectOne(/^grants \(signer-api\): latchkey_signer_api may not select on mail_outbox/)
    await owner.pool.query('grant select (state) on mail_outbox to latchkey_signer_api')

    await owner.pool.query('grant select on key_material to latchkey_mail')
    await expectOne(/^grants \(mail\): latchkey_mail may also read key_material, which mail does not need/)
    await owner.pool.query('revoke select on key_material from latchkey_mail')
  } finally {
    await owner.close()
  }
})

test('error: the database is far away', async () => {
  const slow = await startSlowProxy(asRole(database.url, 'mail'), 150)
  const found = await diagnose({ env: { LATCHKEY_MAIL_DATABASE_URL: slow.url } })
  expect(found.find(({ name }) => name === 'latency (mail)')).toMatchObject({
    ok: false,
    text: expect.stringMatching(/^a round trip takes \d+ ms: run server and database in one place/),
  })
  await slow.close()
})

test('error: the key service does not take the token', async () => {
  await expectOne(/^key encryption: /, { env: { LATCHKEY_VAULT_TOKEN: 'hvs.other' } })
})

test('error: others do not believe our mails', async () => {
  const spf = (txt: string[]) => (failure: RegExp) => withRecords('shop.test', { txt }, () => expectOne(failure))
  await spf([])(/^SPF: shop.test names no mail servers.*add a TXT record/)
  await spf(['v=spf1 a -all', 'v=spf1 mx -all'])(/^SPF: shop.test has 2 SPF records.*join them/)
  await spf(['v=spf1 +all'])(/^SPF: shop.test lets every server send.*end its SPF record with -all/)

  await expectOne(/^DKIM: not looked at: name the selectors of shop.test in LATCHKEY_DKIM_SELECTORS/, {
    env: { LATCHKEY_DKIM_SELECTORS: undefined },
  })
  await expectOne(/^DKIM: no key at two._domainkey.shop.test: add the TXT record/, {
    env: { LATCHKEY_DKIM_SELECTORS: 'one,two' },
  })
  await withRecords('one._domainkey.shop.test', { txt: ['v=DKIM1; p='] }, () =>
    expectOne(/^DKIM: the key at one._domainkey.shop.test was taken back/),
  )
  await withRecords('_dmarc.shop.test', undefined, () => expectOne(/^DMARC: shop.test says nothing.*add a TXT record/))
  await withRecords('_dmarc.shop.test', { txt: ['v=DMARC1; p=none'] }, () => expectOne(/^DMARC: .* set p=quarantine/))
})

test('error: the mail server does not respond', async () => {
  await expectOne(/^SMTP: does not take mail .*check LATCHKEY_SMTP_URL/, {
    env: { LATCHKEY_SMTP_URL: 'smtp://127.0.0.1:1' },
  })
})

test('error: no resolver responds', async () => {
  const found = await failures({ env: { LATCHKEY_DNS_SERVERS: '127.0.0.1:1' } })
  expect(found).toContainEqual(expect.stringMatching(/^SPF: no resolver answers.*LATCHKEY_DNS_SERVERS/))
  expect(found).toContainEqual(expect.stringMatching(/^DNS of custody: no resolver answers.*LATCHKEY_DNS_SERVERS/))
})

test('error: the name or the certificate of a public host', async () => {
  await withRecords('custody.shop.test', { a: [] }, async () => {
    expect(await failures()).toEqual([
      expect.stringMatching(/^DNS of custody: custody.shop.test has no address: add an A or AAAA record/),
      // Without an address there is no certificate to look at.
      expect.stringMatching(/^TLS of custody: no TLS at custody.shop.test/),
    ])
  })
  const custodyAt = async (given: ReturnType<typeof makeCertificate>) => {
    const own = await shop.listen(createTlsServer(given, (_request, response) => response.end()))
    return {
      env: { LATCHKEY_CUSTODY_URL: `https://custody.shop.test:${own}` },
      authorities: [certificate.cert, given.cert],
    }
  }
  const [yesterday, soon] = [new Date(Date.now() - 3_600_000), new Date(Date.now() + 3 * 86_400_000)]
  const wanted = ['custody.shop.test']
  await expectOne(
    /^TLS of custody: the certificate of custody.shop.test has ended: renew it/,
    await custodyAt(makeCertificate({ hosts: wanted, until: yesterday })),
  )
  await expectOne(
    /^TLS of custody: the certificate of custody.shop.test ends in \d day\(s\): renew it/,
    await custodyAt(makeCertificate({ hosts: wanted, until: soon })),
  )
  await expectOne(
    /^TLS of custody: the certificate is not for custody.shop.test: get one/,
    await custodyAt(makeCertificate({ hosts: ['other.test'] })),
  )
  await expectOne(/^TLS of custody: browsers do not trust the certificate of custody.shop.test/, {
    ...(await custodyAt(makeCertificate({ hosts: wanted }))),
    authorities: [certificate.cert],
  })
})

test('error: a proxy before a frame changes its headers, or its server has other projects', async () => {
  const withHeaders = async (change: (headers: Headers) => void, failure: RegExp) => {
    shop.replies.changeHeaders = (headers) => {
      if (headers.get('content-security-policy')?.includes('https://shop.test')) change(headers)
      return headers
    }
    const found = await failures()
    shop.replies.changeHeaders = (headers) => headers
    expect(found).toHaveLength(3)
    for (const line of found) expect(line).toMatch(failure)
  }
  await withHeaders(
    (headers) => headers.delete('content-security-policy'),
    /^page of .* frame: any page may embed it: let the proxy keep/,
  )
  await withHeaders(
    (headers) => headers.set('x-frame-options', 'DENY'),
    /^page of .* frame: a proxy adds X-Frame-Options/,
  )
  shop.frames.set(
    'import',
    framesApp({ page: 'import', projects: [], bundleSigningPublicKey: bundleSigningPublicKey(signingKey) }),
  )
  await expectOne(
    /^page of import frame: pages of https:\/\/shop.test:\d+ of shop, .* may not embed it: give its server the same/,
  )
  shop.frames.delete('import')
})

test('error: a frame shares its origin', async () => {
  await expectOne(/^frame origins: import frame and export frame share .*: give every frame a host name of its own$/, {
    env: { LATCHKEY_IMPORT_FRAME_URL: shop.at('export.shop.test') },
  })
})

test('error: the lists of origins of a project', async () => {
  await expectOne(/^origins of shop: mails lead to https:\/\/else.test\/, whose page may not use the project: add/, {
    project: { redirectUrls: ['https://else.test/'] },
  })
})

test('error: the auth frame is on another site than the pages', async () => {
  const env = { LATCHKEY_AUTH_FRAME_URL: shop.at('auth.shop.example') }
  await expectOne(
    /^site of shop: auth.shop.example:\d+ is another site .* such as auth.shop.test, and set LATCHKEY_AUTH_/,
    {
      env,
    },
  )
})

test('error: the rpId of passkeys', async () => {
  await expectOne(/^passkeys of shop: custody refuses them: rpId other.test is neither/, {
    project: { rpId: 'other.test' },
  })
  const both = { allowedOrigins: [shop.at('shop.test'), shop.at('shop.example')] }
  shop.frames.clear()
  const relatedFails = async (content: unknown, failure: RegExp) => {
    shop.replies.related = content
    const found = await failures({ project: both })
    shop.replies.related = undefined
    expect(found.filter((line) => !line.startsWith('page of'))).toEqual([expect.stringMatching(failure)])
  }
  await relatedFails(
    undefined,
    /^passkeys of shop: https:\/\/shop.test\/.well-known\/webauthn is not there \(404\): serve \{ "origins"/,
  )
  await relatedFails(
    { origins: [shop.at('shop.test')] },
    /^passkeys of shop: browsers refuse rpId shop.test on https:\/\/shop.example:\d+: add it/,
  )
  const many = ['a', 'b', 'c', 'd', 'e'].map((name) => `https://${name}.test`)
  await relatedFails({ origins: [shop.at('shop.test'), shop.at('shop.example'), ...many] }, /names 6 different domains/)
  shop.replies.related = { origins: [shop.at('shop.test'), shop.at('shop.example')] }
  const found = await diagnose({ project: both })
  expect(found.find(({ name }) => name === 'passkeys of shop')).toMatchObject({ ok: true })
  shop.replies.related = undefined
})

test('error: the Content-Security-Policy of the app keeps frames or custody out', async () => {
  const withPolicy = async (headers: Record<string, string>, failure?: RegExp, page = shop.replies.appPage) => {
    const before = shop.replies.appPage
    shop.replies.appHeaders = headers
    shop.replies.appPage = page
    const found = await failures()
    shop.replies.appHeaders = {}
    shop.replies.appPage = before
    expect(found).toEqual(failure ? [expect.stringMatching(failure)] : [])
  }
  const policy = (text: string) => ({ 'content-security-policy': text })
  const ours = 'https://*.shop.test:*'
  await withPolicy(
    policy(`frame-src ${ours}; connect-src 'self'`),
    /^CSP of shop: .* refuses https:\/\/custody.* \(connect-src\): send frame-src/,
  )
  await withPolicy(
    policy(`default-src 'self'; connect-src ${ours}`),
    /^CSP of shop: .* refuses https:\/\/auth.* \(frame-src\): send frame-src/,
  )
  await withPolicy(policy(`default-src 'self'; connect-src ${ours}; frame-src ${ours}`))
  const meta = `<meta http-equiv="Content-Security-Policy" content="frame-src 'none'">`
  await withPolicy({}, /^CSP of shop: .* \(frame-src\)/, meta)
  await withPolicy({ 'permissions-policy': 'publickey-credentials-get=()' }, /^CSP of shop: .* forbids passkeys/)
})

test('error: chain ids and entry points', async () => {
  await expectOne(
    /^entry points: the bundler does not serve 0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789, at which a paymaster pays: start it/,
    await without06(),
  )
  shop.replies.entryPoints = []
  await expectOne(/^entry points: the bundler serves none of/)
  shop.replies.entryPoints = Object.values(devAddresses.entryPoints)
  shop.replies.chainId = '0xa'
  expect(await failures()).toEqual([
    expect.stringMatching(/^node: The node is on chain 10, not on 31337/),
    expect.stringMatching(/^bundler: The bundler is on chain 10, not on 31337/),
  ])
  shop.replies.chainId = '0x7a69'
})

/** A service pays, whose contract is its own care. */
async function without06(): Promise<Change> {
  shop.replies.entryPoints = [devAddresses.entryPoints['0.7.0']]
  return { env: { LATCHKEY_PAYMASTER_06: 'erc7677:https://paymaster.example/v1' } }
}
