import { readFileSync } from 'node:fs'
import * as latchkey from 'latchkey'
import * as accounts from 'latchkey/accounts'
import * as chains from 'latchkey/chains'
import * as compat from 'latchkey/compat'
import * as react from 'latchkey/react'
import * as signer from 'latchkey/signer'
import { expect, test } from 'vitest'

// The guide's tables against our entries, and against what the published packages declare.

const entries = new Map<string, object>(
  Object.entries({
    latchkey,
    'latchkey/accounts': accounts,
    'latchkey/chains': chains,
    'latchkey/compat': compat,
    'latchkey/react': react,
    'latchkey/signer': signer,
  }),
)

const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8')
const guide = read('../../docs/guides/from-account-kit.md')
const compatPage = read('../../packages/latchkey/src/wallet/compat/README.md')

/** The names in code of a cell: plain ones only, without calls and members. */
const namesIn = (cell = '') => [...cell.matchAll(/`(\w+)`/g)].map(([, name = '']) => name)

/** Rows that end in one of our entries: its names are the cell before. */
const rows = [...guide.matchAll(/^\| (.+?) \| (.+?) \| `(latchkey[\w/]*)` \|$/gm)].map(
  ([, first = '', names = '', entry = '']) => ({ first, names, entry }),
)
const moves = rows.filter(({ first }) => /^`@(?:alchemy|account-kit|aa-sdk)\/[\w/-]+`/.test(first))
const renames = rows.filter((row) => !moves.includes(row))

/** Members of a hook, a config or a client, and the word of a version: no exports. */
const notExported = new Set(['apiKey', 'jwt', 'rpcUrl', 'connections', 'signerConnection', 'uiConfig', 'callsStatus'])

test('behavior: every name of the tables is in the entry the row says', () => {
  expect(moves.length).toBeGreaterThan(12)
  expect(renames.length).toBeGreaterThan(10)
  const missing = [...moves, ...renames].flatMap(({ names, entry }) =>
    namesIn(names)
      .filter((name) => !notExported.has(name) && !Object.hasOwn(entries.get(entry) ?? {}, name))
      .map((name) => `${name} of ${entry}`),
  )
  expect(missing).toEqual([])
})

const declarations = ['aa-core/dist/types', 'aa-accounts/dist/types/src', 'aa-alchemy/dist/types']

/** Values that a file of declarations exports. */
function listNames(path: string): string[] {
  const text = read(path)
  const lists = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = '']) => list.split(','))
  const names = lists.map((part) => part.trim()).filter((part) => part !== '' && !part.startsWith('type '))
  const spaces = [...text.matchAll(/^export \* as (\w+)/gm)].map(([, name = '']) => name)
  return [...names.map((name) => name.replace(/^.* as /, '')), ...spaces]
}

const listed = new Set(
  [...guide.matchAll(/^\|.*\|$/gm), ...compatPage.matchAll(/^\|.*\|$/gm)].flatMap(([line]) => namesIn(line)),
)

test.each([
  ...declarations.map((folder) => `${folder}/index.d.ts`),
  'aa-alchemy/dist/types/config/index.d.ts',
  'aa-alchemy/dist/types/react/index.d.ts',
])('behavior: every value of %s is in a table or left out by name', (path) => {
  const names = listNames(`node_modules/@alchemy/${path}`)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !listed.has(name))).toEqual([])
})

test('behavior: each row of 3.14 names only what its package exports', () => {
  const paths = new Map([
    ['@alchemy/aa-core', ['aa-core/dist/types/index.d.ts']],
    ['@alchemy/aa-accounts', ['aa-accounts/dist/types/src/index.d.ts']],
    ['@alchemy/aa-alchemy', ['aa-alchemy/dist/types/index.d.ts']],
    ['@alchemy/aa-alchemy/config', ['aa-alchemy/dist/types/config/index.d.ts']],
    ['@alchemy/aa-alchemy/react', ['aa-alchemy/dist/types/react/index.d.ts']],
  ])
  const strangers = moves.flatMap(({ first, names }) => {
    const files = paths.get(first.replaceAll('`', ''))
    if (!files) return []
    const published = new Set(files.flatMap((file) => listNames(`node_modules/@alchemy/${file}`)))
    return namesIn(names)
      .filter((name) => !published.has(name))
      .map((name) => `${name} of ${first}`)
  })
  expect(strangers).toEqual([])
})
