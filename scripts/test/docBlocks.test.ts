import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readProjectsFile } from '../../packages/server/src/cli/projectsFile.ts'
import { policyRulesSchema } from '../../packages/server/src/store/books/policyRules.ts'

const root = join(import.meta.dirname, '../..')

type Block = { page: string; line: number; language: string; code: string; before: string }
const { readBlocks, findUnmarkedCommands, findBrokenJson } = (await import(
  join(import.meta.dirname, '../lib/docBlocks.mjs')
)) as {
  readBlocks(page: string, text: string): Block[]
  findUnmarkedCommands(blocks: Block[]): string[]
  findBrokenJson(blocks: Block[]): string[]
}

const fence = '```'
const page = (before: string, language: string, code: string, indent = '') =>
  readBlocks(
    'docs/x.md',
    ['1. First', '', before, '', fence + language, ...code.split('\n'), fence].map((line) => indent + line).join('\n'),
  )

test('default: blocks of a page and of its lists, without their indent', () => {
  const [block] = page('Type this:', 'ts', 'const a = [\n  1,\n]', '   ')
  expect(block).toEqual({
    page: 'docs/x.md',
    line: 5,
    language: 'ts',
    code: 'const a = [\n  1,\n]\n',
    before: 'Type this:',
  })
})

const run = '<!-- run by packages/server/src/cli/moveCommands.test.ts -->'

test.each([
  ['run by a test that says its words and options', run, 'sh', 'latchkey-server move ticket --out ticket.json', []],
  ['not run, with a reason', '<!-- not run: it ends the machine -->', 'sh', 'npx latchkey-dev', []],
  ['a picture', 'It looks so:', '', 'page → frame', []],
  ['without a mark', 'Type this:', 'sh', 'npx latchkey-dev', ['docs/x.md:5: say above it which test runs it']],
  ['without a reason', '<!-- not run: -->', 'sh', 'npx latchkey-dev', ['docs/x.md:5: say above it']],
  ['without a language', 'Type this:', '', 'latchkey-server migrate', ['docs/x.md:5: mark it as sh']],
  [
    'run by a file that there is not',
    '<!-- run by e2e/none.test.ts -->',
    'sh',
    'npm start',
    ['docs/x.md:5: say above'],
  ],
  ['run by a test that never says it', run, 'sh', 'latchkey-server move away --fast', ['never says away, --fast']],
])('behavior: commands that are %s', (_, before, language, code, faults) => {
  for (const indent of ['', '   ']) {
    const found = findUnmarkedCommands(page(before, language, code, indent))
    expect(found).toEqual(faults.map((text) => expect.stringContaining(text)))
  }
})

test('error: JSON that is none', () => {
  expect(findBrokenJson(page('', 'json', '{ "a": 1 }'))).toEqual([])
  expect(findBrokenJson(page('', 'json', '"a": 1'))).toEqual([expect.stringContaining('docs/x.md:5:')])
})

test('behavior: the policies and the projects that the docs show are what the server takes', () => {
  const read = (path: string) => readBlocks(path, readFileSync(join(root, path), 'utf8'))
  const json = (path: string) =>
    read(path).flatMap(({ language, code }) => (language === 'json' ? JSON.parse(code) : []))
  const policies: { rules: unknown }[] = json('docs/guides/sponsorship.md')
  expect(policies.map(({ rules }) => policyRulesSchema.safeParse(rules).error)).toEqual([undefined])

  const folder = mkdtempSync(join(tmpdir(), 'latchkey-docs-'))
  const file = join(folder, 'projects.json')
  const least = { id: 'app', name: 'App', apiKey: 'a key of the app', redirectUrls: [], allowedOrigins: [] }
  try {
    for (const path of ['docs/guides/csp.md', 'docs/operating.md']) {
      const [shown] = json(path)
      writeFileSync(file, JSON.stringify([{ ...least, ...shown }]))
      expect(readProjectsFile(file)).toMatchObject([shown])
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})
