import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** docs/faults.md against the code: what it names exists. */
const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFileSync(`${root}/${path}`, 'utf8')
const rows = read('docs/faults.md')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| fault |'))
  .map((line) => line.split(' | ').map((cell) => cell.replaceAll(/^\| | \|$/g, '')))

test('default: each row has four cells, and names a test', () => {
  expect(rows.length).toBeGreaterThan(10)
  for (const row of rows) {
    expect(row, row[0]).toHaveLength(4)
    expect(row[1], row[0]).toMatch(/^`[^`]+\.test\.ts`: /)
  }
})

test('behavior: each test that the page names is in its file', () => {
  const missing = rows.flatMap(([, tests = '']) =>
    tests.split('; ').flatMap((one) => {
      const [, file = '', name = ''] = /^`([^`]+)`: (.+)$/.exec(one) ?? []
      if (!existsSync(`${root}/${file}`)) return [`${file || one} does not exist`]
      const declared = [...read(file).matchAll(/^\s*(?:test|each)(?:\.each)?\b[\s\S]*?['"`]([^\n]*)['"`],/gm)]
      const titles = declared.map(([, title = '']) => title)
      return titles.some((title) => title.includes(name)) ? [] : [`${file} has no test "${name}"`]
    }),
  )
  expect(missing).toEqual([])
})

test('behavior: each log line and metric that the page names is in the server', () => {
  const source = readdirSync(`${root}/packages/server/src`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
    .map((path) => read(`packages/server/src/${path}`))
    .join('\n')
  const signs = rows.map(([, , signs = '']) => signs).join('\n')
  const named = [...signs.matchAll(/"([^"]+)"|`(latchkey_\w+)`/g)].map(([, line, metric]) => line ?? metric ?? '')
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((name) => !source.includes(`'${name}'`) && !source.includes(`"${name}"`))).toEqual([])
})
