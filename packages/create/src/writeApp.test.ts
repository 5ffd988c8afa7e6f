import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { writeApp } from './writeApp.ts'

const home = mkdtempSync(join(tmpdir(), 'latchkey-create-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const listFiles = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile())
    .sort()
const readName = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name

test.each([
  ['vite', 'src'],
  ['next', 'app'],
] as const)('writes an app with %s into a new folder and touches nothing else', (template, code) => {
  const at = join(home, template)
  mkdirSync(at)
  const folder = writeApp({ folder: join(at, 'My App'), template })
  expect(folder).toBe(join(at, 'My App'))
  expect(readName(folder)).toBe('my-app')
  expect(listFiles(folder)).toEqual(
    expect.arrayContaining(['.gitignore', 'README.md', 'package.json', 'tsconfig.json', `${code}/Wallet.tsx`]),
  )
  expect(listFiles(folder)).toEqual(
    expect.arrayContaining([
      'playwright.config.ts',
      'tests/wallet.spec.ts',
      '.github/workflows/test.yml',
      '.gitlab-ci.yml',
    ]),
  )
  expect(readFileSync(join(folder, '.gitignore'), 'utf8')).toContain('.latchkey')
  expect(readdirSync(at)).toEqual(['My App'])
  // The folder must have the permissions of an ordinary folder.
  expect(statSync(folder).mode).toBe(statSync(at).mode)
})

test('fills an empty folder or one with only a repository', () => {
  const folder = join(home, 'cloned')
  mkdirSync(join(folder, '.git'), { recursive: true })
  writeApp({ folder, template: 'vite' })
  expect(listFiles(folder)).toContain('src/App.tsx')
  expect(readName(folder)).toBe('cloned')
})

test.each([
  ['a folder that holds a file', () => writeFileSync(join(home, 'full', 'notes.txt'), 'mine')],
  [
    'a folder that holds a hidden file',
    () => {
      rmSync(join(home, 'full', 'notes.txt'))
      writeFileSync(join(home, 'full', '.env'), 'mine')
    },
  ],
])('leaves %s unchanged', (_, prepare) => {
  mkdirSync(join(home, 'full'), { recursive: true })
  prepare()
  const before = [readdirSync(home), readdirSync(join(home, 'full'))]
  expect(() => writeApp({ folder: join(home, 'full'), template: 'vite' })).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('is not empty: it contains') }),
  )
  expect([readdirSync(home), readdirSync(join(home, 'full'))]).toEqual(before)
})

test.each(['.hidden', 'node_modules', 'ünder', '(x)'])('refuses %s, which npm does not accept as a name', (name) => {
  expect(() => writeApp({ folder: join(home, name), template: 'next' })).toThrow('cannot be the name of a package')
  expect(readdirSync(home)).not.toContain(name)
})

test('refuses a file in place of the folder', () => {
  const folder = join(home, 'file')
  writeFileSync(folder, '')
  expect(() => writeApp({ folder, template: 'vite' })).toThrow('is not a readable folder')
  expect(statSync(folder).isFile()).toBe(true)
})
