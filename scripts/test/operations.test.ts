import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { optionTypes } from '../../packages/server/src/cli/command.ts'
import { commands } from '../../packages/server/src/cli/commands.ts'
import { settings } from '../../packages/server/src/cli/settings.ts'

/** docs/operations against the alert rules and the command line: what the pages name exists, and nothing lacks its entry. */
const root = resolve(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')
const pages = readdirSync(join(root, 'docs/operations')).map((name) => `docs/operations/${name}`)

test('default: each alert has an entry among the incidents, and none is left from one that is no more', () => {
  const rules: { groups: { rules: { alert: string }[] }[] } = parse(read('deploy/alerts.yml'))
  const alerts = rules.groups.flatMap((group) => group.rules.map(({ alert }) => alert))
  const entries = [...read('docs/operations/incidents.md').matchAll(/^## (Latchkey\w+)\n\n(\S.*)/gm)]
  expect(alerts.length).toBeGreaterThan(10)
  expect(entries.map(([, name]) => name).sort()).toEqual(alerts.sort())
})

/** Every `latchkey-server …` of a page: in blocks, and in running text. */
const called = pages.flatMap((page) =>
  [...read(page).matchAll(/^latchkey-server (.+?)(?: > \S+)?$|`latchkey-server ([^`]+)`/gm)].map(
    ([, line, inline]) => [page, (line ?? inline ?? '').trim()] as const,
  ),
)

test('default: the pages call commands', () => {
  for (const name of ['backup.md', 'keys.md', 'mail.md', 'upgrades.md', 'incidents.md'])
    expect(
      called.some(([page]) => page.endsWith(name)),
      name,
    ).toBe(true)
})

test.each(called)('behavior: %s calls a command with what it takes: %s', (_, line) => {
  const types = Object.entries(optionTypes).map(([name, type]) => [name, { type }] as const)
  const { positionals, values } = parseArgs({
    args: line.split(' '),
    options: Object.fromEntries(types),
    allowPositionals: true,
  })
  const names = [positionals.slice(0, 2).join(' '), positionals[0] ?? '']
  const name = names.find((one) => Object.hasOwn(commands, one)) ?? ''
  const { operands: [least, most] = [0, 0], options = [] } = commands[name] ?? { options: [] }
  expect(Object.hasOwn(commands, name), line).toBe(true)
  const count = positionals.length - name.split(' ').length
  expect(count >= least && count <= most, line).toBe(true)
  expect(Object.keys(values).filter((option) => !options.some((one) => one === option))).toEqual([])
})

test('behavior: the test that a block of commands names runs each of them', () => {
  const blocks = pages.flatMap((page) =>
    [...read(page).matchAll(/^<!-- run by (\S+) -->\n```sh\n([\s\S]*?)^```$/gm)].map(
      ([, file = '', code = '']) => [page, file, code] as const,
    ),
  )
  expect(blocks.length).toBeGreaterThan(5)
  for (const [page, file, code] of blocks)
    for (const [, line = ''] of code.matchAll(/^latchkey-server (.+)$/gm)) {
      const names = [line.split(' ').slice(0, 2).join(' '), line.split(' ')[0] ?? '']
      const name = names.find((one) => Object.hasOwn(commands, one)) ?? ''
      // As arguments of the command line: `'audit', 'heads'`.
      const words = name.split(' ').map((word) => `'${word}'`)
      expect(read(file), `${page}: ${line}`).toContain(words.join(', '))
    }
})

test('behavior: every setting and metric that the pages name is one of the server', () => {
  const metrics = read('packages/server/src/http/metrics.ts')
  for (const page of pages) {
    const text = read(page)
    for (const [name] of text.matchAll(/\bLATCHKEY_[A-Z0-9_]*[A-Z0-9]\b(?!_?\*)/g))
      expect(Object.hasOwn(settings.shape, name), `${page}: ${name}`).toBe(true)
    for (const [name] of text.matchAll(/\blatchkey_[a-z_]+(?:total|seconds|coins|waiting|dead|met|connections)\b/g))
      expect(metrics, `${page}: ${name}`).toContain(`'${name}'`)
  }
})
