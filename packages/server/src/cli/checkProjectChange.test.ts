import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { readConfig } from './readConfig.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-try-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const path = join(folder, 'projects.json')
const project = (id: string) => ({
  id,
  name: id,
  apiKey: `key-of-${id}-and-no-other`,
  redirectUrls: [`https://${id}.example/`],
  allowedOrigins: [`https://${id}.example`],
})
writeFileSync(path, JSON.stringify([{ ...project('shop'), linkSeconds: 60 }, project('bank')]))

function tryChange(id: string, changes: unknown) {
  const { server } = readConfig({
    LATCHKEY_ROLES: 'admin',
    LATCHKEY_ROOT_ORGANIZATION_ID: randomUUID(),
    LATCHKEY_ADMIN_DATABASE_URL: 'postgres://localhost/x',
    LATCHKEY_OPERATOR_KEY: randomBytes(32).toString('hex'),
    LATCHKEY_PROJECTS_FILE: path,
  })
  return server.admin?.tryProject?.({ id, changes })
}

test('returns the changed entry without its key and writes nothing', () => {
  const before = readFileSync(path, 'utf8')
  const tried = tryChange('shop', { allowedOrigins: ['https://shop.example', 'https://www.shop.example'] })
  const { apiKey, ...entry } = project('shop')
  expect(tried).toEqual({
    problems: [],
    entry: { ...entry, linkSeconds: 60, allowedOrigins: ['https://shop.example', 'https://www.shop.example'] },
  })
  expect(JSON.stringify(tried)).not.toContain(apiKey)
  expect(readFileSync(path, 'utf8')).toBe(before)
})

test.each([
  ['an origin for all', { allowedOrigins: ['https://*.example'] }, 'name each origin in full'],
  ['plain http', { redirectUrls: ['http://shop.example/'] }, 'plain http'],
  ['an invalid origin', { allowedOrigins: ['nonsense'] }, 'nonsense'],
  ['a setting without effect', { confirmations: 'none' }, 'has no effect'],
  ['another type', { linkSeconds: 'long' }, 'linkSeconds'],
  ['the key', { apiKey: 'lk_other' }, 'apiKey'],
  ['a misspelt name', { allowedOrigin: [] }, 'allowedOrigin'],
  ['a change that is not an object', 'x', 'The change'],
])('refuses %s', (_, changes, text) => {
  expect(tryChange('shop', changes)?.problems.join('\n')).toContain(text)
})

test('returns nothing for an unknown project', () => {
  expect(tryChange('none', {})).toBeUndefined()
})
