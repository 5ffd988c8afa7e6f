import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { runCodemod } from './runCodemod.ts'

const before = `import { useUser } from '@alchemy/aa-alchemy/react'\n`
const after = `import { useUser } from 'latchkey/react'\n`

let folder: string
let printed: string[]
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'latchkey-codemod-'))
  printed = []
  for (const method of ['log', 'error'] as const)
    vi.spyOn(console, method).mockImplementation((text) => void printed.push(String(text)))
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(folder, { recursive: true, force: true })
})

function write(files: Record<string, string>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
}
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const git = (...words: string[]) =>
  execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@example.com', ...words], { cwd: folder })
function commit(): void {
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'x')
}
const run = async (...words: string[]) => {
  printed = []
  const code = await runCodemod(['account-kit', folder, ...words], 'latchkey-migrate codemod')
  return { code, text: printed.join('\n') }
}

test('migrates committed files, skips generated folders and changes nothing in a second run', async () => {
  write({ 'src/a.ts': before, 'node_modules/x/a.js': before, 'dist/a.js': before, '.next/a.js': before })
  commit()
  const first = await run()
  expect(first).toMatchObject({ code: 0, text: expect.stringContaining('moved src/a.ts') })
  expect(read('src/a.ts')).toBe(after)
  for (const path of ['node_modules/x/a.js', 'dist/a.js', '.next/a.js']) expect(read(path)).toBe(before)
  expect(await run('--force')).toEqual({ code: 0, text: 'There is nothing to migrate.' })
})

test('writes nothing over uncommitted changes or without git unless forced', async () => {
  write({ 'a.ts': before })
  expect(await run()).toEqual({ code: 1, text: expect.stringContaining('This folder is not in git') })
  commit()
  write({ 'b.ts': before })
  expect(await run()).toEqual({ code: 1, text: expect.stringContaining('There are changes that are not committed') })
  expect([read('a.ts'), read('b.ts')]).toEqual([before, before])
  expect((await run('--force')).code).toBe(0)
  expect([read('a.ts'), read('b.ts')]).toEqual([after, after])
})

test('prints the difference and writes nothing with --dry-run', async () => {
  write({ 'a.ts': before })
  const { code, text } = await run('--dry-run')
  expect(code).toBe(0)
  expect(text).toContain(`-${before.trim()}\n+${after.trim()}`)
  expect(read('a.ts')).toBe(before)
})

test('changes no file when one of them cannot be migrated', async () => {
  write({ 'a.ts': before, 'b.ts': `import { createSmartWalletClient } from '@account-kit/wallet-client'\n` })
  const { code, text } = await run('--force')
  expect([code, text]).toEqual([
    1,
    expect.stringMatching(/nothing was written:\n {2}b\.ts:1 {2}createSmartWalletClient/),
  ])
  expect(read('a.ts')).toBe(before)
  expect(readdirSync(folder).sort()).toEqual(['a.ts', 'b.ts'])
})

test('prints JSON with --json and names files of Vue and Svelte', async () => {
  write({ 'a.ts': before, 'b.vue': `<script>${before}</script>`, 'c.svelte': '<p>no</p>' })
  const { code, text } = await run('--force', '--json')
  expect(code).toBe(0)
  expect(JSON.parse(text)).toEqual({
    files: ['a.ts'],
    stops: [],
    left: [{ path: 'b.vue', line: 1, text: 'this kind of file is not changed: move its imports by hand' }],
    written: true,
  })
})

test.each([
  [[], 'Name the codemod: account-kit.'],
  [['privy', 'x'], 'There is no codemod "privy". Use account-kit.'],
  [['account-kit'], 'Give the FOLDER of the app.'],
  [['account-kit', '/nowhere'], 'There is no folder /nowhere.'],
  [['account-kit', 'x', 'y'], "Unexpected argument 'y'"],
  [['account-kit', 'x', '--fast'], "Unknown option '--fast'"],
  [['account-kit', 'x', '--drop', 'email'], "--drop takes social, not 'email'."],
])('refuses the arguments %j', async (words, said) => {
  expect(await runCodemod(words, 'latchkey-migrate codemod')).toBe(2)
  expect(printed.join('\n')).toContain(said)
})
