import {
  existsSync,
  linkSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { run } from './run.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-projects-'))
  file = join(folder, 'projects.json')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function projects(words: string[], environment: Record<string, string> = {}) {
  const lines: string[] = []
  const code = await run({
    arguments: ['projects', ...words],
    environment: { LATCHKEY_PROJECTS_FILE: file, ...environment },
    print: (line) => lines.push(line),
    stop: new AbortController().signal,
  })
  return { code, text: lines.join('\n') }
}

const key = 'key-of-an-app-that-is-there'
const shop = {
  id: 'shop',
  name: 'Shop',
  apiKey: key,
  redirectUrls: ['https://shop.example/'],
  allowedOrigins: ['https://shop.example'],
}
const save = (...list: object[]) => writeFileSync(file, JSON.stringify(list), { mode: 0o640 })
const stored = () => JSON.parse(readFileSync(file, 'utf8'))
const addition = ['add', 'wallet', '--name', 'Wallet', '--origins', 'https://a.example, https://b.example']

test('creates the file with the first project and shows its key once', async () => {
  const printed = await projects(addition)
  expect([printed.code, JSON.parse(printed.text).length, readdirSync(folder)]).toEqual([0, 1, []])
  const added = await projects([...addition, '--redirects', 'https://a.example/in', '--write'])
  expect(added.code).toBe(0)
  const [apiKey = ''] = added.text.split('\n')
  expect(apiKey).toMatch(/^lk_[\w-]{43}$/)
  const [redirectUrls, allowedOrigins] = [['https://a.example/in'], ['https://a.example', 'https://b.example']]
  expect(stored()).toEqual([{ id: 'wallet', name: 'Wallet', apiKey, redirectUrls, allowedOrigins }])
  expect(statSync(file).mode & 0o777).toBe(0o600)
  expect(await projects(['check'])).toEqual({ code: 0, text: `${file}: 1 project, all in order.` })
  for (const words of ['list', 'show wallet', 'list --json', 'show wallet --json', 'check --json']) {
    const { code, text } = await projects(words.split(' '))
    expect([code, text.includes(apiKey)]).toEqual([0, false])
  }
  expect((await projects(['list'])).text).toContain(`wallet                    ${apiKey.slice(0, 8)}…  Wallet`)
})

test('replaces the linked file as a whole and keeps its mode and other members', async () => {
  const real = join(folder, 'real.json')
  writeFileSync(real, JSON.stringify([{ ...shop, ofAnotherRelease: { a: 1 } }]), { mode: 0o640 })
  linkSync(real, join(folder, 'as-it-was'))
  symlinkSync(real, file)
  const rotated = await projects(['rotate', 'shop', '--write', '--json'])
  const { apiKey, project } = JSON.parse(rotated.text).result
  expect([rotated.code, project.apiKey]).toEqual([0, `${apiKey.slice(0, 8)}…`])
  expect(JSON.parse(readFileSync(real, 'utf8'))).toEqual([{ ...shop, apiKey, ofAnotherRelease: { a: 1 } }])
  expect(statSync(real).mode & 0o777).toBe(0o640)
  // A process that opened the old file can read it to the end.
  expect(JSON.parse(readFileSync(join(folder, 'as-it-was'), 'utf8'))[0].apiKey).toBe(key)
  expect(readdirSync(folder).sort()).toEqual(['as-it-was', 'projects.json', 'real.json'])
})

test('refuses to write a file that no server starts with', async () => {
  save(shop)
  const before = readFileSync(file)
  const bad: [string[], string][] = [
    [['add', 'shop', '--name', 'x', '--origins', 'https://x.example'], 'The project shop already exists'],
    [['add', 'x y', '--name', 'x', '--origins', 'https://x.example'], 'ID must be'],
    [['add', 'x', '--name', 'x'], 'Give --name NAME and --origins'],
    [['add', 'x', '--name', 'x', '--origins', 'https://*.x.example'], 'wildcards are not allowed'],
    [['add', 'x', '--name', 'x', '--origins', 'http://x.example'], 'plain http'],
    [['add', 'x', '--name', 'x', '--origins', 'https://x.example', '--organization', '7'], 'not a UUID'],
    [['add', 'x', '--name', 'x', '--origins', 'https://x.example', '--redirects', 'ftp://x'], 'must be http(s)'],
    [['rotate', 'none'], 'There is no project with this ID'],
  ]
  for (const [words, text] of bad)
    for (const more of [[], ['--write']])
      expect(await projects([...words, ...more]), words.join(' ')).toEqual({
        code: 1,
        text: expect.stringContaining(text),
      })
  expect(readFileSync(file)).toEqual(before)
  expect(readdirSync(folder)).toEqual(['projects.json'])
  const local = ['add', 'x', '--name', 'x', '--origins', 'http://localhost:3000', '--write']
  expect((await projects(local, { LATCHKEY_MODE: 'development' })).code).toBe(0)
})

test('refuses a concurrent change and names an interrupted one', async () => {
  save(shop)
  writeFileSync(`${file}.next`, 'half')
  const before = readFileSync(file)
  const { code, text } = await projects([...addition, '--write'])
  expect([code, text]).toEqual([1, expect.stringContaining(`one was cut off: remove ${file}.next`)])
  expect(readFileSync(file)).toEqual(before)
  expect(existsSync(`${file}.next`)).toBe(true)
})

test('names all problems with their places and never keys', async () => {
  save(
    { ...shop, confirmation: 'none' },
    { ...shop, name: 'Other', linkSeconds: 5, confirmations: 'none', allowedOrigins: ['http://shop.example'] },
  )
  const { code, text } = await projects(['check'])
  expect(code).toBe(1)
  for (const part of [
    'Project "shop" has an unknown member "confirmation"',
    'Projects 1 and 2 have the same id',
    'Projects 1 and 2 have the same API key',
    'linkSeconds must be between 60 and 86400',
    'confirmations "none" has no effect, since "shop" of the same parent',
    'http://shop.example, which is plain http',
  ])
    expect(text).toContain(part)
  expect(text).not.toContain(key)
  writeFileSync(file, JSON.stringify([{ ...shop, codes: key, name: 7 }]))
  const wrong = await projects(['check', '--json'])
  expect([wrong.code, JSON.parse(wrong.text).error.message]).toEqual([1, expect.stringContaining('0.name')])
  expect(wrong.text).not.toContain(key)
  writeFileSync(file, `[{"apiKey":"${key}"`)
  const cut = await projects(['list'])
  expect(cut).toEqual({ code: 1, text: expect.stringContaining('cannot be read as JSON') })
  const unset = await projects(['list'], { LATCHKEY_PROJECTS_FILE: '' })
  expect(unset).toEqual({ code: 1, text: expect.stringContaining('LATCHKEY_PROJECTS_FILE is missing') })
})
