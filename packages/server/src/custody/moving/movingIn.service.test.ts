import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestCustody, type TestCustody, type TestUser, walletParameters } from '@latchkey/testkit/custody'
import { hashMessage } from 'viem'
import { afterAll, expect, test } from 'vitest'
import { run } from '../../cli/run.ts'
import { openMail } from '../../keys/mailSeal.ts'

// The other service is a separate custody, which shares nothing with ours. Only the user's page transfers data.

const folder = mkdtempSync(join(tmpdir(), 'latchkey-moves-'))
const list = join(folder, 'list')
const [foreign, custody, refusing] = await Promise.all([
  startTestCustody(),
  startTestCustody({ project: { movesIn: 'allowed' } }),
  startTestCustody(),
])
afterAll(async () => {
  for (const each of [foreign, custody, refusing]) await each.close()
  rmSync(folder, { recursive: true, force: true })
})

async function submit(where: TestCustody, user: TestUser, call: string, parameters: object, version = '') {
  const body = where.activity(`ACTIVITY_TYPE_${call.toUpperCase()}${version}`, user.orgId, parameters)
  const answer = await where.call(`submit/${call}`, body, user.key)
  const results: Record<string, Record<string, string>> = answer.body.activity?.result ?? {}
  const [result = {}] = Object.values(results)
  const { importBundle = '', exportBundle = '' } = result
  return { status: answer.status, message: answer.body.message, ...result, importBundle, exportBundle }
}

async function carry(there: TestUser, here: TestUser, where = custody) {
  const { importBundle } = await submit(where, here, 'init_import_wallet', { userId: here.userId })
  const { targetPublic } = readData(importBundle)
  const query = { organizationId: there.orgId }
  const [wallet] = (await foreign.call('query/list_wallets', query, there.key)).body.wallets
  const { exportBundle } = await submit(foreign, there, 'export_wallet', {
    walletId: wallet.walletId,
    targetPublicKey: targetPublic,
  })
  const { encappedPublic, ciphertext } = readData(exportBundle)
  return JSON.stringify({ encappedPublic, ciphertext })
}
const readData = (bundle: string): Record<string, string> =>
  JSON.parse(Buffer.from(JSON.parse(bundle).data, 'hex').toString())

const take = (here: TestUser, encryptedBundle: string, movedAddress: string, where = custody) =>
  submit(where, here, 'import_wallet', {
    userId: here.userId,
    walletName: 'Moved',
    encryptedBundle,
    accounts: walletParameters.accounts,
    movedAddress,
  })
async function move(there: TestUser, here: TestUser, where = custody) {
  return take(here, await carry(there, here, where), there.address, where)
}
const readAddress = async ({ orgId, key }: TestUser) =>
  (await custody.call('query/whoami', { organizationId: orgId }, key)).body.address
async function listNotices({ userId }: TestUser) {
  const rows = await custody.store.db.selectFrom('mail_outbox').selectAll().where('user_id', '=', userId).execute()
  return rows.map((row) => openMail(custody.deps.mailSealKey, row, row.payload_sealed ?? new Uint8Array()).content.kind)
}
const digest = { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL', hashFunction: 'HASH_FUNCTION_NO_OP' }
const sign = (where: TestCustody, user: TestUser, signWith = user.address) =>
  submit(where, user, 'sign_raw_payload', { signWith, payload: hashMessage('x'), ...digest }, '_V2')

async function command(more: readonly string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const environment = { DATABASE_URL: custody.store.databaseUrl, LATCHKEY_KEY_ENCRYPTION_KEY: custody.keyEncryptionKey }
  const words = ['move', 'report', '--organization', custody.rootOrganizationId, '--list', list, ...more]
  const print = (text: string) => lines.push(text)
  const code = await run({ arguments: words, environment, print, stop: new AbortController().signal })
  return { code, text: lines.join('\n') }
}

test('moves a wallet sealed end to end, which becomes the first, signs, and is reported to its owner', async () => {
  const [there, here] = [await foreign.createUser(), await custody.createUser()]
  expect(await move(there, here)).toMatchObject({ status: 200, addresses: [there.address] })
  expect(await readAddress(here)).toBe(there.address)
  expect(await listNotices(here)).toEqual(['wallet-moved'])
  const signed = await sign(custody, here, there.address)
  expect(signed).toMatchObject({ status: 200, r: expect.stringMatching(/^[0-9a-f]{64}$/) })
  expect(signed).toEqual(await sign(foreign, there))
  const { importBundle } = await submit(custody, here, 'init_import_wallet', { userId: here.userId })
  expect(readData(importBundle).address).toBe(there.address)
  expect(await move(await foreign.createUser(), here)).toMatchObject({
    status: 400,
    message: expect.stringContaining('imported nothing'),
  })
})

test('refuses a wallet other than the named one and stores nothing', async () => {
  const [there, here] = [await foreign.createUser(), await custody.createUser()]
  const other = await foreign.createUser()
  const sealed = await carry(there, here)
  expect(await take(here, sealed, other.address)).toMatchObject({
    status: 400,
    message: expect.stringContaining('Nothing was moved'),
  })
  expect(await readAddress(here)).toBe(here.address)
  expect(await listNotices(here)).toEqual([])
  expect(await take(here, sealed, there.address)).toMatchObject({ status: 200 })
})

test('refuses moves to projects that forbid them, to used accounts and by other users', async () => {
  const stranger = await refusing.createUser()
  expect(await move(await foreign.createUser(), stranger, refusing)).toMatchObject({
    status: 403,
    message: expect.stringContaining('movesIn'),
  })

  const used = await custody.createUser()
  expect(await sign(custody, used)).toMatchObject({ status: 200 })
  const there = await foreign.createUser()
  expect(await move(there, used)).toMatchObject({ status: 400, message: expect.stringContaining('in use') })
  expect(await readAddress(used)).toBe(used.address)

  const [mine, other] = [await custody.createUser(), await custody.createUser()]
  const sealed = await carry(there, mine)
  expect(await take({ ...mine, key: other.key }, sealed, there.address)).toMatchObject({ status: 401 })
  expect(await take(other, sealed, there.address)).toMatchObject({
    status: 400,
    message: expect.stringContaining('Begin again'),
  })
})

test('refuses a move after the sign-in has aged', async () => {
  const late = await startTestCustody({ project: { movesIn: 'allowed' } })
  try {
    const here = await late.createUser()
    const sealed = await carry(await foreign.createUser(), here, late)
    late.advance(6 * 60_000)
    const old = await take(here, sealed, here.address, late)
    expect(old).toMatchObject({ status: 403, message: expect.stringContaining('sign in again') })
  } finally {
    await late.close()
  }
})

test('reports moved, failed and missing wallets without mail addresses', async () => {
  const [moved, failing, absent] = [await foreign.createUser(), await foreign.createUser(), await foreign.createUser()]
  const [first, second] = [await custody.createUser(), await custody.createUser()]
  const note = (who: TestUser, address: string, reason: string) =>
    submit(custody, who, 'note_move_failure', { userId: who.userId, address, reason })
  // A failure followed by a move counts as moved.
  expect((await note(first, moved.address, 'ABORTED')).status).toBe(200)
  expect((await move(moved, first)).status).toBe(200)
  await note(second, failing.address, 'ABORTED')
  await note(second, failing.address, 'WALLET_NOT_FOUND')
  expect((await note(second, failing.address, 'my mail is ada@example.com')).status).toBe(400)
  expect((await note({ ...second, userId: first.userId }, failing.address, 'ABORTED')).status).toBe(403)

  const addresses = [moved, failing, absent].map(({ address }) => address)
  writeFileSync(list, `${addresses.join('\n').toLowerCase()}\n`)
  const { code, text } = await command(['--json'])
  const { result } = JSON.parse(text)
  expect(code).toBe(1)
  expect(result.moved).toEqual([{ address: moved.address, organizationId: first.orgId, at: expect.any(String) }])
  expect(result.failed).toMatchObject([{ address: failing.address, reason: 'WALLET_NOT_FOUND' }])
  expect(result.waiting).toEqual([absent.address])
  expect(result.unlisted.map(({ address }: { address: string }) => address)).not.toContain(moved.address)
  const shown = await command([])
  expect(shown.text).toContain('1 moved, 1 failed, 1 not come yet')
  for (const { email } of [first, second, moved]) expect(shown.text + custody.logs.join('')).not.toContain(email)

  writeFileSync(list, moved.address)
  expect((await command([])).code).toBe(0)
  writeFileSync(list, 'ada@example.com')
  const wrong = await command([])
  expect(wrong).toMatchObject({ code: 1, text: expect.stringContaining('Entry 1') })
  expect(wrong.text).not.toContain('ada@')

  await custody.store.pool.query('update activities set user_id = gen_random_uuid() where org_id = $1', [first.orgId])
  writeFileSync(list, moved.address)
  expect(JSON.parse((await command(['--json'])).text).result.waiting).toEqual([moved.address])
})
