import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { p256 } from '@noble/curves/nist.js'
import { afterAll, expect, test } from 'vitest'
import { localServiceSigner } from '../keys/serviceSigner.ts'
import { readConfig } from './readConfig.ts'
import { run } from './run.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-keys-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

async function create(...words: string[]): Promise<{ code: number; text: string }> {
  const lines: string[] = []
  const stop = new AbortController().signal
  const print = (text: string) => lines.push(text)
  const code = await run({ arguments: ['keys', 'create', ...words], environment: {}, print, stop })
  return { code, text: lines.join('\n') }
}

test('creates the key files of a production server', async () => {
  const out = join(folder, 'deep', 'keys')
  const { code, text } = await create('--out', out)
  expect(code).toBe(0)
  expect(statSync(out).mode & 0o777).toBe(0o700)
  const keys = Object.fromEntries(
    readdirSync(out).map((name) => {
      expect(statSync(join(out, name)).mode & 0o777).toBe(0o600)
      return [name, readFileSync(join(out, name), 'utf8').trim()]
    }),
  )
  const secrets = Object.entries(keys).filter(([name]) => !/PUBLIC_KEY$|_ID$/.test(name))
  expect([secrets.length, new Set(Object.values(keys)).size]).toEqual([7, 10])
  for (const [name, value] of secrets) {
    expect(value, name).toMatch(/^[0-9a-f]{64}$/)
    expect(text).not.toContain(value)
  }
  const point = p256.getPublicKey(Buffer.from(keys.LATCHKEY_ROOT_API_PRIVATE_KEY ?? '', 'hex'))
  expect(keys.LATCHKEY_ROOT_API_PUBLIC_KEY).toBe(Buffer.from(point).toString('hex'))
  localServiceSigner({ key: keys.LATCHKEY_PAYMASTER_KEY ?? '' })
  const { server } = readConfig({
    ...Object.fromEntries(Object.keys(keys).map((name) => [`${name}_FILE`, join(out, name)])),
    DATABASE_URL: 'postgres://localhost/latchkey',
    LATCHKEY_ROLES: 'custody,admin,frames',
    LATCHKEY_FRAMES_PAGE: 'export',
  })
  expect(server.custody?.bundleSigningKey).toBe(keys.LATCHKEY_BUNDLE_SIGNING_KEY)
})

test('overwrites nothing and leaves nothing after a failure', async () => {
  const out = join(folder, 'taken')
  mkdirSync(out)
  expect((await create('--out', out)).code).toBe(0)
  const before = readFileSync(join(out, 'LATCHKEY_OPERATOR_KEY'), 'utf8')
  const again = await create('--out', out, '--json')
  const error = { code: 'CONFIG_INVALID', message: expect.stringContaining('exists and is not empty') }
  expect([again.code, JSON.parse(again.text)]).toEqual([1, { command: 'keys create', ok: false, error }])
  expect(readFileSync(join(out, 'LATCHKEY_OPERATOR_KEY'), 'utf8')).toBe(before)
  const file = join(folder, 'file')
  writeFileSync(file, '')
  expect(await create('--out', file)).toEqual({ code: 1, text: expect.stringContaining('Nothing was written.') })
  expect(readdirSync(folder).sort()).toEqual(['deep', 'file', 'taken'])
  expect(await create()).toEqual({ code: 1, text: expect.stringContaining('Give --out FOLDER') })
  expect(existsSync(join(folder, 'undefined'))).toBe(false)
})
