import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url))
const home = mkdtempSync(join(tmpdir(), 'latchkey-create-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const start = (args: string[], env: Record<string, string> = {}) =>
  spawnSync(process.execPath, [program, ...args], {
    cwd: home,
    encoding: 'utf8',
    env: { PATH: process.env.PATH ?? '', ...env },
    timeout: 60_000,
  })

/** Installs a fake package manager that prints its arguments and exits with `code`. */
function installManager(name: string, code: number): string {
  const folder = mkdtempSync(join(home, 'bin-'))
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\necho "${name} $* in $(basename "$PWD")"\nexit ${code}\n`)
  chmodSync(path, 0o755)
  return folder + delimiter + (process.env.PATH ?? '')
}

test('uses the defaults without a terminal, starts nothing and prints the next steps', () => {
  const { status, stdout } = start([])
  expect(status).toBe(0)
  expect(stdout).toContain('React with Vite in latchkey-app.')
  expect(stdout).toContain('cd latchkey-app\n  npm install\n  npm run dev')
})

test('prints one JSON object with --json', () => {
  const { status, stdout } = start(['one', '--template', 'next', '--json'], { npm_config_user_agent: 'pnpm/10.0.0' })
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toEqual({
    folder: join(home, 'one'),
    template: 'next',
    packageManager: 'pnpm',
    next: ['cd one', 'pnpm install', 'pnpm dev'],
  })
})

test.each([
  ['npm/11.0.0 node/v20', 'npm', 'run dev'],
  ['yarn/4.0.0', 'yarn', 'dev'],
  ['bun/1.2.0', 'bun', 'run dev'],
])('installs and starts with --yes, using %s', (agent, manager, script) => {
  const PATH = installManager(manager, 0)
  const { status, stdout } = start([`by-${manager}`, '--yes'], { PATH, npm_config_user_agent: agent })
  expect(status).toBe(0)
  expect(stdout.trim().split('\n').slice(-2)).toEqual([
    `${manager} install in by-${manager}`,
    `${manager} ${script} in by-${manager}`,
  ])
})

test('keeps the app and names the next command when packages cannot be installed', () => {
  const { status, stderr } = start(['broken', '--yes'], { PATH: installManager('npm', 3) })
  expect(status).toBe(1)
  expect(stderr).toContain('npm install failed; broken is complete otherwise. Then: cd broken && npm install')
  expect(readdirSync(join(home, 'broken'))).toContain('package.json')
})

test.each([
  [['a', 'b'], 'One folder, not 2: a, b.'],
  [['--template', 'nuxt'], 'There is no template "nuxt": choose vite or next.'],
  [['--tempalte', 'vite'], "Unknown option '--tempalte'. Did you mean --template?"],
])('refuses the arguments %j', (args, message) => {
  const before = readdirSync(home)
  const { status, stderr } = start(args)
  expect(status).toBe(2)
  expect(stderr).toContain(message)
  expect(stderr).not.toContain('    at ')
  expect(readdirSync(home)).toEqual(before)
})

test('asks in a terminal for missing arguments, and again after a mistake', () => {
  // The `script` command provides a terminal to the program.
  const input = 'full\nasked\nvue\nnext\nno\n'
  start(['full', '--no-start'])
  const command = `${process.execPath} ${program}`
  const output = execFileSync('script', ['-qec', command, '/dev/null'], { cwd: home, input, encoding: 'utf8' })
  expect(output).toContain('full is not empty')
  expect(output).toContain('Type vite or next.')
  expect(output).toContain('React with Next.js in asked.')
  expect(output).toContain('cd asked')
})

test('creates nothing when the input ends', () => {
  const before = readdirSync(home)
  const command = `${process.execPath} ${program}`
  const { status, stdout } = spawnSync('script', ['-qec', command, '/dev/null'], {
    cwd: home,
    input: '\x04',
    encoding: 'utf8',
  })
  expect(status).toBe(2)
  expect(stdout).toContain('Nothing was made.')
  expect(readdirSync(home)).toEqual(before)
})
