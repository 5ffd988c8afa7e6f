import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse } from 'yaml'

// What a runner would find out: GitHub's workflows run nowhere else before they are needed.

const root = join(import.meta.dirname, '../..')
const folder = join(root, '.github/workflows')
const webKit = (await import(join(root, 'scripts/lib/ensureWebKit.mjs'))) as { packages: readonly string[] }

type Manifest = { name: string; private?: boolean; scripts?: object; dependencies?: object }
type Step = { uses?: string; run?: string; with?: Record<string, unknown>; env?: Record<string, string> }
type Workflow = { jobs: Record<string, { 'timeout-minutes'?: number; steps: Step[] }> }

const readManifest = (path: string) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as Manifest
const readSteps = (name: string) =>
  Object.values((parse(readFileSync(join(folder, name), 'utf8')) as Workflow).jobs).flatMap(({ steps }) => steps)
const readCommands = (name: string) => readSteps(name).flatMap(({ run }) => run ?? [])

test.each(readdirSync(folder))(
  'behavior: commands of %s are bash, and name scripts and folders that there are',
  (name) => {
    const commands = readCommands(name)
    expect(commands).not.toEqual([])
    const scripts = Object.keys(readManifest('').scripts ?? {})
    for (const command of commands) {
      expect(spawnSync('bash', ['-n'], { input: command, encoding: 'utf8' }).stderr).toBe('')
      for (const [, script] of command.matchAll(/npm run (?:-s )?(\S+)/g)) expect(scripts).toContain(script)
      for (const [, path = ''] of command.matchAll(/--(?:workspace|prefix) (\S+)/g))
        expect(existsSync(join(root, path, 'package.json')), path).toBe(true)
    }
    for (const { with: inputs } of readSteps(name))
      for (const [, path = ''] of String(inputs?.key ?? '').matchAll(/hashFiles\('([^']+)'\)/g))
        expect(existsSync(join(root, path)), path).toBe(true)
  },
)

test('behavior: a release publishes each package after those it needs', () => {
  const publish = readSteps('release.yml').find(({ run }) => run?.includes('npm publish'))
  const order = /for name in (.+); do/.exec(publish?.run ?? '')?.[1]?.split(' ') ?? []
  const folders = readdirSync(join(root, 'packages')).map((name) => `packages/${name}`)
  const published = folders.map(readManifest).filter((manifest) => !manifest.private)
  expect([...order].sort()).toEqual(published.map(({ name }) => name).sort())
  for (const { name, dependencies = {} } of published)
    for (const needed of Object.keys(dependencies).filter((each) => order.includes(each)))
      expect(order.indexOf(needed), `${needed} before ${name}`).toBeLessThan(order.indexOf(name))
})

test('behavior: who is not root has the packages of WebKit before the suite wants them', () => {
  const commands = readCommands('test.yml')
  const install = commands.findIndex((command) => command.includes('apt-get install'))
  expect(commands[install]?.split(' ')).toEqual(expect.arrayContaining([...webKit.packages]))
  expect(install).toBeLessThan(commands.indexOf('.ci/run'))
})
