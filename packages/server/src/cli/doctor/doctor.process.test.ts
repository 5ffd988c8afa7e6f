import { randomUUID } from 'node:crypto'
import { createServer as createTlsServer, type ServerOptions } from 'node:https'
import { makeCertificate } from '@latchkey/testkit/certificate'
import { asRole } from '@latchkey/testkit/run/databaseServer'
import { type Change, type DoctorDevnet, startDoctorDevnet } from '@latchkey/testkit/startDoctorDevnet'
import type { TestShop } from '@latchkey/testkit/startTestShop'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { devAddresses } from '../../../../dev/src/chain/devAddresses.ts'
import { copyProblems } from '../../app/createReadiness.ts'
import { ensureMacKey } from '../../custody/macKey.ts'
import { framesApp } from '../../frames/app.ts'
import { bundleSigningPublicKey } from '../../keys/bundleSigningPublicKey.ts'
import { localKeyEncryption } from '../../keys/keyEncryption.ts'
import { upsertPolicy } from '../../store/ledger/policies.ts'
import { createOperator } from '../../store/operators.ts'
import { noteCopy, removeCopy } from '../../store/serverCopies.ts'
import { upsertProject } from '../../store/upsertProject.ts'
import { formatFindings, nameUsedSettings } from './doctor.ts'

/** A healthy stack. Each test breaks one part and expects only that part's check to fail. */
let devnet: DoctorDevnet
let shop: TestShop
beforeAll(async () => {
  devnet = await startDoctorDevnet()
  ;({ shop } = devnet)
})
afterAll(() => devnet?.close())

const kindOf = (name: string) => name.replace(/ (?:\(|of ).*$/, '')

async function failures(change: Change = {}): Promise<string[]> {
  const found = await devnet.findFailures(change)
  return found.map(({ name, text }) => `${name}: ${text}`)
}

async function expectOne(failure: RegExp, change: Change = {}): Promise<void> {
  const found = await failures(change)
  expect(found).toEqual([expect.stringMatching(failure)])
}

/** Sets the search path of the mail role, so that functions of the public schema shadow PostgreSQL's own. */
const shadowed = () => ({
  env: {
    LATCHKEY_MAIL_DATABASE_URL: `${asRole(devnet.database.url, 'mail')}?options=${encodeURIComponent('-c search_path=public,pg_catalog')}`,
  },
})

test('passes every check on a healthy stack', async () => {
  expect(await failures()).toEqual([])
  const findings = await devnet.diagnose()
  const skipped = findings.filter(({ state }) => state === 'skip').map(({ name, text }) => `${name}: ${text}`)
  expect(skipped).toEqual(['running copies: no server reported to this database in the last 90 seconds'])
  const names = findings.map(({ name }) => name)
  const kinds = [...new Set(names.map(kindOf))]
  const rows = kinds.map((kind) => names.filter((name) => kindOf(name) === kind).map((name) => name.slice(kind.length)))
  expect(rows.map((more, index) => [kinds[index], ...more].join('').trim()).join('\n')).toMatchInlineSnapshot(`
    "PostgreSQL (custody) (signer-api) (mail)
    latency (custody) (signer-api) (mail)
    schema (custody) (signer-api) (mail)
    time (custody) (signer-api) (mail)
    grants (custody) (signer-api) (mail) (gateway) (admin)
    running copies
    key encryption
    stored keys
    SMTP
    SPF
    DKIM
    DMARC
    mail links
    DNS of custody of auth frame of export frame of import frame
    TLS of custody of auth frame of export frame of import frame
    frame origins
    page of auth frame of export frame of import frame
    origins of shop
    site of shop
    signing of shop
    passkeys of shop
    CSP of shop
    node
    bundler
    entry points
    gas policies
    operators"
  `)
})

test('reports a gas policy of an operator without a cost limit', async () => {
  await devnet.asOwner(async ({ db }) => {
    await upsertProject(db, { id: 'paid', name: 'Paid', apiKey: 'key-of-paid', redirectUrls: [], allowedOrigins: [] })
    const policy = { projectId: 'paid', id: 'spring' }
    await upsertPolicy(db, policy)
    await expectOne(/^gas policies: spring of paid may spend the default cost of a day: set limits\.policy\.day\.cost/)
    await upsertPolicy(db, { ...policy, rules: { limits: { policy: { day: { cost: '1000' } } } } })
  })
  expect(await failures()).toEqual([])
})

test('reports what a running server cannot read of its proxies', async () => {
  await devnet.asOwner(async ({ db }) => {
    const copy = { id: randomUUID(), roles: ['signer-api'], version: '0.0.0' }
    await noteCopy(db, copy, { status: 'ready' })
    expect(await failures()).toEqual([])
    await noteCopy(db, copy, { status: 'ready', lacking: { server: copyProblems.proxy } })
    await expectOne(
      /^running copies: signer-api: reads no client address from X-Forwarded-For.*LATCHKEY_TRUSTED_PROXIES/,
    )
    await removeCopy(db, copy.id)
  })
})

test('reports an old version, a wrong clock, a missing migration, and missing or extra grants', async () => {
  await devnet.asOwner(async ({ pool }) => {
    const run = (statement: string) => pool.query(statement)
    await run(`create function public.current_setting(text) returns text language sql as
      $$ select case when $1 = 'server_version_num' then '140012' else '14.12' end $$`)
    await expectOne(/^PostgreSQL \(mail\): is version 14.12: upgrade it to 15 or newer/, shadowed())
    await run('drop function public.current_setting(text)')

    await run(`create function public.clock_timestamp() returns timestamptz language sql
      as $$ select pg_catalog.clock_timestamp() - interval '1 minute' $$`)
    await expectOne(
      /^time \(mail\): the database's clock is \d+ ms behind this machine's: synchronize both/,
      shadowed(),
    )
    await run('drop function public.clock_timestamp()')

    await run(`create table put_aside as select * from kysely_migration order by name desc limit 1`)
    await run('delete from kysely_migration where name in (select name from put_aside)')
    expect(await failures()).toEqual(
      ['custody', 'signer-api', 'mail'].map(
        (role) => `schema (${role}): 1 migration(s) to run: latchkey-server migrate`,
      ),
    )
    await run('insert into kysely_migration select * from put_aside')
    await run('drop table put_aside')

    await run('revoke delete on mail_outbox from latchkey_mail')
    await expectOne(/^grants \(mail\): latchkey_mail may not delete on mail_outbox: run latchkey-server grants --apply/)
    await run('grant delete on mail_outbox to latchkey_mail')

    await run('grant select on key_material to latchkey_mail')
    await expectOne(/^grants \(mail\): latchkey_mail may also read key_material, which mail does not need/)
    await run('revoke select on key_material from latchkey_mail')
  })
})

test('reports stored keys and operators of another key and a refused key service', async () => {
  await expectOne(/^key encryption: /, { env: { LATCHKEY_VAULT_TOKEN: 'hvs.other' } })
  await devnet.asOwner(async ({ db }) => {
    await ensureMacKey(db, localKeyEncryption({ key: 'ab'.repeat(32) }))
    await expectOne(/^stored keys: /)
    await db.deleteFrom('key_material').execute()
    await createOperator(db, { key: Buffer.alloc(32, 7), name: 'Ada', role: 'admin' })
    await expectOne(/^operators: no key works: set LATCHKEY_OPERATOR_KEY to the key that created them/)
    await db.deleteFrom('operators').execute()
  })
})

test('says what it did not check, and names the setting that was used', async () => {
  const env = { LATCHKEY_PAYMASTER_07: 'erc7677:https://paymaster.example/v1' }
  const findings = await devnet.diagnose({ env, project: { allowedOrigins: ['https://away.shop.test'] } })
  const skipped = findings.filter(({ state }) => state === 'skip').map(({ name, text }) => `${name}: ${text}`)
  expect(skipped).toEqual([
    'running copies: no server reported to this database in the last 90 seconds',
    expect.stringMatching(/^CSP of shop: no page responds; the app's policy needs: frame-src /),
    'paymaster of a service: its operator keeps signer, deposit and stake',
  ])
  const named = nameUsedSettings(
    [{ name: 'DKIM', state: 'fail', text: 'set LATCHKEY_DKIM_SELECTORS or DATABASE_URL' }],
    { LATCHKEY_DKIM_SELECTORS_FILE: '/run/selectors', DATABASE_URL: 'postgres://', DATABASE_URL_FILE: '/run/url' },
  )
  expect(named).toMatchObject([{ text: 'set LATCHKEY_DKIM_SELECTORS_FILE or DATABASE_URL' }])
  const { length } = findings.filter(({ state }) => state === 'ok')
  expect(formatFindings(findings)).toContain(`\n${length} ok, 3 skipped, `)
})

test('reports SPF, DKIM and DMARC problems', async () => {
  const spf = (txt: string[]) => (failure: RegExp) => devnet.withRecords('shop.test', { txt }, () => expectOne(failure))
  await spf([])(/^SPF: shop.test has no SPF record.*add a TXT record/)
  await spf(['v=spf1 +all'])(/^SPF: shop.test lets every server send.*end its SPF record with -all/)

  await expectOne(/^DKIM: no key at two._domainkey.shop.test: add the TXT record/, {
    env: { LATCHKEY_DKIM_SELECTORS: 'one,two' },
  })
  await devnet.withRecords('_dmarc.shop.test', undefined, () =>
    expectOne(/^DMARC: shop.test has no DMARC record.*add a TXT record/),
  )
})

test('reports problems with the name or certificate of a public host', async () => {
  await devnet.withRecords('custody.shop.test', { a: [] }, () =>
    expectOne(/^DNS of custody: custody.shop.test has no address: add an A or AAAA record/),
  )
  const custodyAt = async (given: ReturnType<typeof makeCertificate>, options: ServerOptions = {}) => {
    const own = await shop.listen(createTlsServer({ ...given, ...options }, (_request, response) => response.end()))
    return {
      env: { LATCHKEY_CUSTODY_URL: `https://custody.shop.test:${own}` },
      authorities: [devnet.certificate.cert, given.cert],
    }
  }
  const yesterday = new Date(Date.now() - 3_600_000)
  const wanted = ['custody.shop.test']
  await expectOne(
    /^TLS of custody: the certificate of custody.shop.test has expired: renew it/,
    await custodyAt(makeCertificate({ hosts: wanted, until: yesterday })),
  )
  await expectOne(/^TLS of custody: browsers do not trust the certificate of custody.shop.test/, {
    ...(await custodyAt(makeCertificate({ hosts: wanted }))),
    authorities: [devnet.certificate.cert],
  })
  const right = makeCertificate({ hosts: wanted })
  await expectOne(
    /^TLS of custody: custody.shop.test accepts TLS 1.0 or 1.1: configure its server or load balancer for TLS 1.2 and 1.3 only/,
    await custodyAt(right, { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }),
  )
})

test('reports frames whose headers a proxy changed or whose projects differ', async () => {
  shop.replies.changeHeaders = (headers) => {
    if (headers.get('content-security-policy')?.includes('https://shop.test')) headers.delete('content-security-policy')
    return headers
  }
  const found = await failures()
  shop.replies.changeHeaders = (headers) => headers
  expect(found).toHaveLength(3)
  for (const line of found) expect(line).toMatch(/^page of .* frame: any page may embed it: let the proxy keep/)
  shop.frames.set(
    'import',
    framesApp({ page: 'import', projects: [], bundleSigningPublicKey: bundleSigningPublicKey(devnet.signingKey) }),
  )
  await expectOne(
    /^page of import frame: pages of https:\/\/shop.test:\d+ of shop, .* may not embed it: give its server the same/,
  )
  shop.frames.delete('import')
})

test('reports an unusable rpId', async () => {
  await expectOne(/^passkeys of shop: custody refuses them: rpId other.test is neither/, {
    project: { rpId: 'other.test' },
  })
  const both = { allowedOrigins: [shop.at('shop.test'), shop.at('shop.example')] }
  shop.frames.clear()
  shop.replies.related = { origins: [shop.at('shop.test')] }
  const found = await failures({ project: both })
  shop.replies.related = undefined
  expect(found.filter((line) => !line.startsWith('page of'))).toEqual([
    expect.stringMatching(/^passkeys of shop: browsers refuse rpId shop.test on https:\/\/shop.example:\d+: add it/),
  ])
})

test('reports wrong chain ids and entry points', async () => {
  await expectOne(
    /^entry points: the bundler does not serve 0x5FF137D4b0FDCD49DcA30c7CF57E578a026d2789, for which a paymaster is configured: start it/,
    await without06(),
  )
  shop.replies.entryPoints = []
  await expectOne(/^entry points: the bundler serves none of/)
  shop.replies.entryPoints = Object.values(devAddresses.entryPoints)
  await expectOne(/^node: The node is on chain 10, not on 31337/, {
    env: { LATCHKEY_NODE_URL: await shop.startNode('0xa') },
  })
})

/** Uses an external paymaster service, whose contract doctor does not check. */
async function without06(): Promise<Change> {
  shop.replies.entryPoints = [devAddresses.entryPoints['0.7.0']]
  return { env: { LATCHKEY_PAYMASTER_06: 'erc7677:https://paymaster.example/v1' } }
}
