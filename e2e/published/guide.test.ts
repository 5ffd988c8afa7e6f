import * as latchkey from 'latchkey'
import * as accounts from 'latchkey/accounts'
import * as chains from 'latchkey/chains'
import * as compat from 'latchkey/compat'
import * as react from 'latchkey/react'
import * as signer from 'latchkey/signer'
import { expect, test } from 'vitest'
import { guide, listExports, listedNames, namesIn } from './guideTables.ts'

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

const listPublished = (path: string) => listExports(new URL(`node_modules/@alchemy/${path}`, import.meta.url))
const declarations = ['aa-core/dist/types', 'aa-accounts/dist/types/src', 'aa-alchemy/dist/types']

test.each([
  ...declarations.map((folder) => `${folder}/index.d.ts`),
  'aa-alchemy/dist/types/config/index.d.ts',
  'aa-alchemy/dist/types/react/index.d.ts',
])('behavior: every value of %s is in a table or left out by name', (path) => {
  const names = listPublished(path)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !listedNames.has(name))).toEqual([])
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
    const published = new Set(files.flatMap(listPublished))
    return namesIn(names)
      .filter((name) => !published.has(name))
      .map((name) => `${name} of ${first}`)
  })
  expect(strangers).toEqual([])
})
